import { useMemo, useState } from "preact/hooks";
import type { AppState } from "../app/state";
import { cardName } from "../game/cards";
import { minutes } from "../game/clock";
import type { MatchModel } from "../game/match";
import { nameOf } from "../game/narration";
import { showsMarks } from "../game/palettes";
import { type ReplayStep, replay } from "../game/replay";
import type { Triple } from "../game/sets";
import type { Results } from "../protocol/messages";
import { Board, Mat } from "./board";
import { CardFace } from "./card";
import { Minis } from "./events";
import { Text } from "./text";

interface ReplayProps {
  readonly state: AppState;
  readonly match: MatchModel;
  readonly results: Results;
}

/** Replay of a finished game: each board with its missed Sets, and the order of the deck. */
export function ReplayView({ state, match, results }: ReplayProps) {
  const marks = showsMarks(state.settings.palette, state.settings.marks);
  return (
    <div class="replay">
      {state.record === null ? (
        <p>Loading the replay…</p>
      ) : (
        <Boards match={match} steps={replay(state.record)} marks={marks} />
      )}
      <Deck deck={results.deck} dealt={results.deck.length - match.cardsRemaining} marks={marks} />
    </div>
  );
}

interface BoardsProps {
  readonly match: MatchModel;
  readonly steps: readonly ReplayStep[];
  readonly marks: boolean;
}

function Boards({ match, steps, marks }: BoardsProps) {
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
          <Text>{`Board ${at + 1} of ${steps.length}: ${outcome(match, step)}`}</Text>
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
          selected={chosen}
          hint={step.taken}
          marks={marks}
          label="Board of the replay"
          onTouch={() => undefined}
          onEscape={() => setChosen([])}
        />
      </Mat>
      <MissedSets step={step} chosen={chosen} marks={marks} onChoose={setChosen} />
    </>
  );
}

function outcome(match: MatchModel, step: ReplayStep): string {
  if (step.expanded) return "no Set, three more cards";
  if (step.seat === null) return "end of the game";
  const when = step.endedMs === null ? "" : ` at ${minutes(step.endedMs)}`;
  return `${nameOf(match, step.seat)} took a Set${when}`;
}

interface MissedSetsProps {
  readonly step: ReplayStep;
  readonly chosen: readonly number[];
  readonly marks: boolean;
  onChoose(set: readonly number[]): void;
}

/** The Sets on a board that nobody claimed. */
function MissedSets({ step, chosen, marks, onChoose }: MissedSetsProps) {
  const missed = step.sets.filter((set) => !isTaken(set, step));
  return (
    <div class="found">
      <p>
        <Text>
          {missed.length === 0
            ? "No Set was missed on this board."
            : `Missed on this board: ${missed.length}`}
        </Text>
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
      <summary>Order of the deck</summary>
      <ol class="deck">
        {deck.map((card, index) => (
          <li key={card} class={index < dealt ? "mini" : "mini is-undealt"}>
            <CardFace id={card} marks={marks} />
            <span class="unseen">
              {cardName(card)}
              {index < dealt ? "" : ", not dealt"}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
