import { useMemo, useState } from "preact/hooks";
import type { AppState } from "../app/state";
import { cardName } from "../game/cards";
import { minutes } from "../game/clock";
import { nameOf } from "../game/narration";
import { marked } from "../game/palettes";
import { type ReplayStep, replay } from "../game/replay";
import type { Triple } from "../game/sets";
import type { Table } from "../game/table";
import type { Results } from "../protocol/messages";
import { Board, Mat } from "./board";
import { CardFace } from "./card";
import { Minis } from "./news";

interface ReplayProps {
  readonly state: AppState;
  readonly table: Table;
  readonly results: Results;
}

/** A finished game board by board, with every Set that was there to be seen; and the whole deck. */
export function ReplayView({ state, table, results }: ReplayProps) {
  const marks = marked(state.settings.palette, state.settings.marks);
  return (
    <div class="replay">
      {state.record === null ? (
        <p>Fetching the record of the game…</p>
      ) : (
        <Boards table={table} steps={replay(state.record)} marks={marks} />
      )}
      <Deck deck={results.deck} dealt={results.deck.length - table.cardsRemaining} marks={marks} />
    </div>
  );
}

interface BoardsProps {
  readonly table: Table;
  readonly steps: readonly ReplayStep[];
  readonly marks: boolean;
}

function Boards({ table, steps, marks }: BoardsProps) {
  const [at, setAt] = useState(0);
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const step = steps[Math.min(at, steps.length - 1)];
  const slots = useMemo(
    () => step?.slots.map((cardId, index) => ({ index, cardId, mark: "plain" as const })) ?? [],
    [step],
  );
  const go = (to: number) => {
    setAt(to);
    setChosen([]);
  };
  if (step === undefined) return null;
  return (
    <>
      <label class="slider">
        <span>
          Board {at + 1} of {steps.length}: {outcome(table, step)}
        </span>
        <input
          type="range"
          min="0"
          max={steps.length - 1}
          value={at}
          aria-valuetext={`Board ${at + 1} of ${steps.length}`}
          onInput={(event) => go(Number(event.currentTarget.value))}
        />
      </label>
      <Mat slots={slots.length} class="is-replay">
        <Board
          slots={slots}
          picked={chosen}
          hint={step.taken}
          marks={marks}
          label="Board of the replay"
          onTouch={() => undefined}
          onEscape={() => setChosen([])}
        />
      </Mat>
      <Found step={step} chosen={chosen} marks={marks} onChoose={setChosen} />
    </>
  );
}

function outcome(table: Table, step: ReplayStep): string {
  if (step.expanded) return "no Set, three more cards";
  if (step.seat === null) return "the end";
  const when = step.leftMs === null ? "" : ` at ${minutes(step.leftMs)}`;
  return `${nameOf(table, step.seat)} took a Set${when}`;
}

interface FoundProps {
  readonly step: ReplayStep;
  readonly chosen: readonly number[];
  readonly marks: boolean;
  onChoose(set: readonly number[]): void;
}

/** The Sets on a board: the one that was taken, and those that were missed. */
function Found({ step, chosen, marks, onChoose }: FoundProps) {
  const missed = step.sets.filter((set) => !isTaken(set, step));
  return (
    <div class="found">
      <p>
        {missed.length === 0 ? "No Set was missed on this board." : `Missed on this board: ${missed.length}`}
      </p>
      <ul>
        {missed.map((set) => (
          <li key={set.join()}>
            <button
              type="button"
              aria-pressed={chosen === set}
              aria-label={set.map(cardName).join("; ")}
              onClick={() => onChoose(set)}
            >
              <Minis cards={set} marks={marks} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function isTaken(set: Triple, step: ReplayStep): boolean {
  return set.every((card) => step.taken.includes(card));
}

function Deck({
  deck,
  dealt,
  marks,
}: {
  readonly deck: readonly number[];
  readonly dealt: number;
  readonly marks: boolean;
}) {
  return (
    <details>
      <summary>The deck in its order</summary>
      <ol class="deck">
        {deck.map((card, place) => (
          <li key={card} class={place < dealt ? "mini" : "mini is-undealt"}>
            <CardFace id={card} marks={marks} />
            <span class="unseen">
              {cardName(card)}
              {place < dealt ? "" : ", never dealt"}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
