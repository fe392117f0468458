import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { cardName } from "../game/cards";
import { COLUMNS, moved, placeName } from "../game/grid";
import type { ShownSlot } from "../game/shown";
import type { AnimationMs } from "../protocol/messages";
import { CardFace } from "./card";

const FEWEST_ROWS = 3;

interface BoardProps {
  readonly slots: readonly ShownSlot[];
  readonly picked: readonly number[];
  readonly hint: readonly number[];
  readonly marks: boolean;
  readonly label: string;
  onTouch(cardId: number): void;
  onEscape(): void;
}

/** The board: one stop for Tab, arrow keys from card to card, Space or Enter to select, Escape to let go. */
export function Board({ slots, picked, hint, marks, label, onTouch, onEscape }: BoardProps) {
  const [focus, setFocus] = useState(0);
  const board = useRef<HTMLFieldSetElement>(null);
  const current = Math.min(focus, slots.length - 1);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") return onEscape();
    const target = moved(current, event.key, slots.length);
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
          picked={slot.cardId !== null && picked.includes(slot.cardId)}
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
  /** How long cards move, as the match says. */
  readonly times?: AnimationMs;
  readonly children: ComponentChildren;
}

/** Where the board lies: it takes the room there is, and the cards grow into it. */
export function Mat({ slots, class: look, times, children }: MatProps) {
  const rows = { "--rows": Math.max(FEWEST_ROWS, Math.ceil(slots / COLUMNS)) };
  return (
    <div class={`mat ${look}`} style={{ ...rows, ...(times && durations(times)) }}>
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
  readonly picked: boolean;
  readonly hinted: boolean;
  readonly marks: boolean;
  readonly inTabOrder: boolean;
  onFocus(): void;
  onTouch(cardId: number): void;
}

/** One place on the board. It stays when its card changes, and so does the focus on it. */
function SlotButton({ slot, picked, hinted, marks, inTabOrder, onFocus, onTouch }: SlotProps) {
  const { cardId, index, mark } = slot;
  const classes = [
    "slot",
    `is-${mark}`,
    picked && "is-picked",
    hinted && "is-hinted",
    cardId === null && "is-empty",
  ];
  return (
    <button
      type="button"
      class={classes.filter(Boolean).join(" ")}
      tabIndex={inTabOrder ? 0 : -1}
      aria-pressed={picked}
      aria-disabled={cardId === null || mark === "taken"}
      aria-label={slotName(slot)}
      data-slot={index}
      data-card={cardId ?? undefined}
      onFocus={onFocus}
      onClick={() => cardId !== null && mark !== "taken" && onTouch(cardId)}
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
  return `${card}, ${placeName(index)}${mark === "taken" ? ", taken" : ""}`;
}
