/** What the board shows at a moment: a claimed Set stays in sight for as long as the match says. */

import type { Showing, Table } from "./table";

export type Mark = "plain" | "taken" | "refused" | "dealt";

export interface ShownSlot {
  readonly index: number;
  readonly cardId: number | null;
  readonly mark: Mark;
}

/** Returns every slot, by index, as it looks at the match time `nowMs`. */
export function shownSlots(table: Table, nowMs: number): ShownSlot[] {
  const claimed = new Map(
    table.showings
      .filter((shown) => shown.untilMs > nowMs)
      .flatMap((shown) => claimedSlots(table, shown))
      .map((slot) => [slot.index, slot]),
  );
  return table.slots.map(
    (cardId, index) => claimed.get(index) ?? { index, cardId, mark: mark(table, index, nowMs) },
  );
}

/** A refused card is marked only while it is on the board; a taken one is shown although it has left it. */
function claimedSlots(table: Table, shown: Showing): ShownSlot[] {
  const seen = shown.placed.filter(({ index, cardId }) => shown.valid || table.slots[index] === cardId);
  return seen.map((slot) => ({ ...slot, mark: shown.valid ? "taken" : "refused" }));
}

/** Returns the next match time at which the board looks different by itself, or undefined. */
export function nextChangeMs(table: Table, nowMs: number): number | undefined {
  const times = [
    ...table.showings.map((shown) => shown.untilMs),
    table.dealt.fromMs,
    table.dealt.untilMs,
    table.lockedUntilMs,
    ...table.players.map((player) => player.lockedUntilMs ?? 0),
  ].filter((time) => time > nowMs);
  return times.length > 0 ? Math.min(...times) : undefined;
}

function mark(table: Table, index: number, nowMs: number): Mark {
  const { indexes, fromMs, untilMs } = table.dealt;
  return nowMs >= fromMs && nowMs < untilMs && indexes.includes(index) ? "dealt" : "plain";
}
