import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { cardName } from "../game/cards";
import { COLUMNS, positionName, slotAfterKey } from "../game/grid";
import type { ShownSlot } from "../game/shown";
import type { AnimationMs } from "../protocol/messages";
import { CardFace } from "./card";
import { pressHandlers } from "./press";

const FEWEST_ROWS = 3;

interface BoardProps {
  readonly slots: readonly ShownSlot[];
  readonly selected: readonly number[];
  readonly hint: readonly number[];
  readonly marks: boolean;
  readonly label: string;
  onTouch(cardId: number): void;
  onEscape(): void;
}

/** The board. Keyboard: one tab stop, arrow keys move the focus, Space or Enter selects, Escape deselects. */
export function Board({ slots, selected, hint, marks, label, onTouch, onEscape }: BoardProps) {
  const [focus, setFocus] = useState(0);
  const board = useRef<HTMLFieldSetElement>(null);
  const current = Math.min(focus, slots.length - 1);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") return onEscape();
    const target = slotAfterKey(current, event.key, slots.length);
    if (target === undefined) return;
    event.preventDefault();
    setFocus(target);
    board.current?.querySelectorAll("button")[target]?.focus();
  };

  return (
    <fieldset ref={board} class="board" onKeyDown={onKeyDown}>
      <legend class="unseen">{label}</legend>
      {slots.map((slot) => (
        <SlotButton
          key={slot.index}
          slot={slot}
          selected={slot.cardId !== null && selected.includes(slot.cardId)}
          hinted={slot.cardId !== null && hint.includes(slot.cardId)}
          marks={marks}
          inTabOrder={slot.index === current}
          onFocus={() => setFocus(slot.index)}
          onTouch={onTouch}
        />
      ))}
    </fieldset>
  );
}

interface MatProps {
  readonly slots: number;
  readonly class: string;
  /** Duration of the animations, from the match options. */
  readonly times?: AnimationMs;
  readonly children: ComponentChildren;
}

/** Area of the board: it fills the free space, and the size of the cards depends on it. */
export function Mat({ slots, class: className, times, children }: MatProps) {
  const rows = { "--rows": Math.max(FEWEST_ROWS, Math.ceil(slots / COLUMNS)) };
  return (
    <div class={`mat ${className}`} style={{ ...rows, ...(times && durations(times)) }}>
      {children}
    </div>
  );
}

function durations(times: AnimationMs): Record<string, string> {
  return {
    "--valid-ms": `${times.validSet}ms`,
    "--invalid-ms": `${times.invalidSet}ms`,
    "--refill-ms": `${times.refill}ms`,
  };
}

interface SlotProps {
  readonly slot: ShownSlot;
  readonly selected: boolean;
  readonly hinted: boolean;
  readonly marks: boolean;
  readonly inTabOrder: boolean;
  onFocus(): void;
  onTouch(cardId: number): void;
}

/** One slot of the board. The button and its focus stay when the card changes. */
function SlotButton({ slot, selected, hinted, marks, inTabOrder, onFocus, onTouch }: SlotProps) {
  const { cardId, index, mark } = slot;
  const classes = [
    "slot",
    `is-${mark}`,
    selected && "is-selected",
    hinted && "is-hinted",
    cardId === null && "is-empty",
  ];
  return (
    <button
      type="button"
      class={classes.filter(Boolean).join(" ")}
      tabIndex={inTabOrder ? 0 : -1}
      aria-pressed={selected}
      aria-disabled={cardId === null || mark === "taken"}
      aria-label={slotName(slot)}
      data-slot={index}
      data-card={cardId ?? undefined}
      onFocus={onFocus}
      {...pressHandlers(() => cardId !== null && mark !== "taken" && onTouch(cardId))}
    >
      {cardId !== null && (
        <span key={cardId} class="card">
          <CardFace id={cardId} marks={marks} />
        </span>
      )}
    </button>
  );
}

function slotName({ cardId, index, mark }: ShownSlot): string {
  const card = cardId === null ? "empty" : cardName(cardId);
  return `${card}, ${positionName(index)}${mark === "taken" ? ", taken" : ""}`;
}
