/** Cards that the board shows at a match time. A claimed Set stays visible during its animation. */

import type { MatchModel, ShownClaim } from "./match";

type Mark = "plain" | "taken" | "invalid" | "dealt";

export interface ShownSlot {
  readonly index: number;
  readonly cardId: number | null;
  readonly mark: Mark;
}

/** Returns all slots by index, as shown at the match time `nowMs`. */
export function shownSlots(match: MatchModel, nowMs: number): ShownSlot[] {
  const claimed = new Map(
    match.shownClaims
      .filter((shown) => shown.untilMs > nowMs)
      .flatMap((shown) => claimedSlots(match, shown))
      .map((slot) => [slot.index, slot]),
  );
  return match.slots.map(
    (cardId, index) => claimed.get(index) ?? { index, cardId, mark: mark(match, index, nowMs) },
  );
}

/** Cards of an invalid claim are marked only on the board. Cards of a valid claim are shown after they left it. */
function claimedSlots(match: MatchModel, shown: ShownClaim): ShownSlot[] {
  const visible = shown.placed.filter(({ index, cardId }) => shown.valid || match.slots[index] === cardId);
  return visible.map((slot) => ({ ...slot, mark: shown.valid ? "taken" : "invalid" }));
}

/** Returns the next match time at which the board changes without a message, or undefined. */
export function nextChangeMs(match: MatchModel, nowMs: number): number | undefined {
  const times = [
    ...match.shownClaims.map((shown) => shown.untilMs),
    match.dealt.fromMs,
    match.dealt.untilMs,
    match.lockedUntilMs,
    ...match.players.map((player) => player.lockedUntilMs ?? 0),
  ].filter((time) => time > nowMs);
  return times.length > 0 ? Math.min(...times) : undefined;
}

function mark(match: MatchModel, index: number, nowMs: number): Mark {
  const { indexes, fromMs, untilMs } = match.dealt;
  return nowMs >= fromMs && nowMs < untilMs && indexes.includes(index) ? "dealt" : "plain";
}
