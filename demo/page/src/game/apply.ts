/** Applies the messages of a match to its model. */

import type {
  BoardExpanded,
  ClaimResult,
  MatchEnded,
  Message,
  Player,
  PlayerChanged,
  ServiceStatus,
} from "../protocol/messages";
import { Op } from "../protocol/vocabulary";
import { clockAt, matchNow, setRunning } from "./clock";
import { fromSnapshot, fromStart, type MatchModel, placeCards, type ShownClaim, withClockEnd } from "./match";

/**
 * Returns the model after a message that was received at the local time `localMs`.
 *
 * A numbered message that is received twice has no effect. After a gap in the numbers the model is `behind`,
 * and all messages except snapshots are ignored.
 */
export function apply(match: MatchModel | null, message: Message, localMs: number): MatchModel | null {
  if (message.op === Op.SNAPSHOT) return keepAnimations(match, fromSnapshot(message.body, localMs));
  if (match === null || match.behind) return match;
  if (!("seq" in message.body)) return applyUnnumbered(match, message, localMs);
  if (message.body.seq <= match.seq) return match;
  if (message.body.seq > match.seq + 1) return { ...match, behind: true };
  return { ...applyNumbered(match, message, localMs), seq: message.body.seq };
}

/** A snapshot with the same number does not stop animations. */
function keepAnimations(before: MatchModel | null, now: MatchModel): MatchModel {
  if (before === null || before.game !== now.game || before.seq !== now.seq) return now;
  // The time of the first message with the result is the most accurate one.
  const endedMs = before.results === null ? now.endedMs : before.endedMs;
  return { ...now, shownClaims: before.shownClaims, dealt: before.dealt, endedMs };
}

function applyUnnumbered(match: MatchModel, message: Message, localMs: number): MatchModel {
  return message.op === Op.SERVICE_STATUS ? serviceStatus(match, message.body, localMs) : match;
}

function applyNumbered(match: MatchModel, message: Message, localMs: number): MatchModel {
  switch (message.op) {
    case Op.MATCH_STARTED:
      return fromStart(message.body, match.yourSeats, localMs);
    case Op.CLAIM_RESULT:
      return claimResult(match, message.body, localMs);
    case Op.BOARD_EXPANDED:
      return boardExpanded(match, message.body, localMs);
    case Op.PLAYER_CHANGED:
      return playerChanged(match, message.body, localMs);
    case Op.MATCH_ENDED:
      return matchEnded(match, message.body, localMs);
    case Op.FILL_TIME:
      return { ...match, fillDeadlineMs: message.body.fillDeadlineMs };
    default:
      return match;
  }
}

/** Calculates the match time of a claim from its lock, because `CLAIM_RESULT` does not contain it. */
function judgedAt(match: MatchModel, result: ClaimResult, localMs: number): number {
  const { validSet, refill, invalidSet } = match.options.animationMs;
  if (result.valid) return result.lockedUntilMs - validSet - refill;
  const playerLock = result.player.lockedUntilMs;
  return playerLock === undefined ? matchNow(match.clock, localMs) : playerLock - invalidSet;
}

function claimResult(match: MatchModel, result: ClaimResult, localMs: number): MatchModel {
  const nowMs = judgedAt(match, result, localMs);
  const updated = { ...withPlayer(match, result.player, nowMs), clock: clockAt(nowMs, localMs) };
  const current = match.shownClaims.filter((shown) => shown.untilMs > nowMs);
  const shownClaims = [...current, shownClaim(match, result, nowMs)];
  return result.valid ? takeSet({ ...updated, shownClaims }, result) : { ...updated, shownClaims };
}

function takeSet(match: MatchModel, result: ClaimResult): MatchModel {
  return {
    ...match,
    phase: result.phase,
    slots: placeCards(match.slots, result.slots),
    cardsRemaining: result.cardsRemaining,
    lockedUntilMs: result.lockedUntilMs,
    dealt: {
      indexes: result.slots.map((slot) => slot.index),
      fromMs: result.lockedUntilMs - match.options.animationMs.refill,
      untilMs: result.lockedUntilMs,
    },
  };
}

function shownClaim(match: MatchModel, result: ClaimResult, nowMs: number): ShownClaim {
  const { validSet, invalidSet } = match.options.animationMs;
  return {
    seat: result.seat,
    valid: result.valid,
    message: result.message,
    placed: result.cardIds.flatMap((cardId) => {
      const index = match.slots.indexOf(cardId);
      return index < 0 ? [] : [{ index, cardId }];
    }),
    untilMs: nowMs + (result.valid ? validSet : invalidSet),
  };
}

function boardExpanded(match: MatchModel, expansion: BoardExpanded, localMs: number): MatchModel {
  const fromMs = expansion.lockedUntilMs - match.options.animationMs.expandBoard;
  return {
    ...match,
    phase: expansion.phase,
    clock: clockAt(fromMs, localMs),
    slots: placeCards(match.slots, expansion.slots),
    cardsRemaining: expansion.cardsRemaining,
    lockedUntilMs: expansion.lockedUntilMs,
    dealt: {
      indexes: expansion.slots.map((slot) => slot.index),
      fromMs,
      untilMs: expansion.lockedUntilMs,
    },
  };
}

function playerChanged(match: MatchModel, { player, change }: PlayerChanged, localMs: number): MatchModel {
  const isOut = change === "PLAYER_CHANGE_FORFEITED" || change === "PLAYER_CHANGE_KICKED";
  const seatIsFree = isOut && match.phase === "PHASE_WAITING";
  if (!seatIsFree) return withPlayer(match, player, matchNow(match.clock, localMs));
  return { ...match, players: match.players.filter((other) => other.seat !== player.seat) };
}

function matchEnded(match: MatchModel, ended: MatchEnded, localMs: number): MatchModel {
  const { seq: _seq, ...results } = ended;
  const endedMs = matchNow(match.clock, localMs);
  const players = results.standings.map(({ player }) => player);
  const updated = players.reduce((before, player) => withPlayer(before, player, endedMs), match);
  return { ...updated, phase: "PHASE_MATCH_END", results, endedMs };
}

function serviceStatus(match: MatchModel, status: ServiceStatus, localMs: number): MatchModel {
  const clock = setRunning(match.clock, !status.paused, localMs);
  return { ...match, clock, paused: status.paused, closed: status.closed };
}

function withPlayer(match: MatchModel, player: Player, nowMs: number): MatchModel {
  const others = match.players.filter((other) => other.seat !== player.seat);
  return { ...match, players: [...others, withClockEnd(player, nowMs)].sort((a, b) => a.seat - b.seat) };
}
