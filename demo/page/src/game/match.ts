/** Model of the match in this client: starts from a snapshot and is updated by `apply`. */

import type { MatchOptions, MatchStarted, Player, Results, Slot, Snapshot } from "../protocol/messages";
import type { EndReason, Phase } from "../protocol/vocabulary";
import { clockAt, type MatchClock } from "./clock";

/** A player; in timed games with the end of their clock, in match time. */
export interface MatchPlayer extends Player {
  readonly clockEndsMs?: number;
}

/** Cards of a judged claim, shown until a match time. */
export interface ShownClaim {
  readonly seat: number;
  readonly valid: boolean;
  readonly message: string;
  readonly placed: readonly { readonly index: number; readonly cardId: number }[];
  readonly untilMs: number;
}

/** Everything that the client knows about the match. Times are match time in milliseconds. */
export interface MatchModel {
  /** Number of the last numbered message. */
  readonly seq: number;
  /** Whether a numbered message is missing. All messages are ignored until the next snapshot. */
  readonly behind: boolean;
  readonly game: number;
  readonly phase: Phase;
  readonly options: MatchOptions;
  readonly players: readonly MatchPlayer[];
  /** Card in each slot, by slot index. */
  readonly slots: readonly (number | null)[];
  readonly cardsRemaining: number;
  readonly yourSeats: readonly number[];
  /** User id of the creator; empty if no user created it. */
  readonly creatorId: string;
  /** End of the fill time; 0 after the start. */
  readonly fillDeadlineMs: number;
  readonly results: Results | null;
  /** When this client received the result. */
  readonly endedMs: number;
  readonly clock: MatchClock;
  /** End of the lock of the board. */
  readonly lockedUntilMs: number;
  readonly shownClaims: readonly ShownClaim[];
  /** Slots with new cards, and the time of their animation. */
  readonly dealt: { readonly indexes: readonly number[]; readonly fromMs: number; readonly untilMs: number };
  /** Whether the match is paused by an outage of the rules service. */
  readonly paused: boolean;
  /** Whether an outage closed the match. */
  readonly closed: boolean;
}

/** Time since the creation of a match up to which `EXTEND` works, in milliseconds (docs/protocol.md, "Joining"). */
const LONGEST_FILL_MS = 3_600_000;

/** How long a match accepts rematch votes after the end, in milliseconds (docs/protocol.md, MATCH_ENDED). */
const REMATCH_WITHIN_MS = 30_000;

/** Reasons after which a match stops immediately, without a rematch. */
const NO_REMATCH: readonly EndReason[] = ["END_REASON_ABANDONED", "END_REASON_TERMINATED"];

const NOTHING_DEALT = { indexes: [], fromMs: 0, untilMs: 0 } as const;

/** Returns the model of a snapshot that was received at the local time `localMs`. */
export function fromSnapshot(snapshot: Snapshot, localMs: number): MatchModel {
  return {
    ...fromStart(snapshot, snapshot.yourSeats, localMs),
    creatorId: snapshot.creatorId,
    fillDeadlineMs: snapshot.fillDeadlineMs ?? 0,
    dealt: NOTHING_DEALT,
    results: snapshot.results ?? null,
    endedMs: snapshot.nowMs,
  };
}

/** Returns the model at the start of a game, with the animation of the first deal. */
export function fromStart(started: MatchStarted, yourSeats: readonly number[], localMs: number): MatchModel {
  return {
    seq: started.seq,
    behind: false,
    game: started.game,
    phase: started.phase,
    options: started.options,
    players: started.players.map((player) => withClockEnd(player, started.nowMs)),
    slots: placeCards([], started.slots),
    cardsRemaining: started.cardsRemaining,
    yourSeats,
    creatorId: "",
    fillDeadlineMs: 0,
    results: null,
    endedMs: 0,
    clock: clockAt(started.nowMs, localMs),
    lockedUntilMs: started.lockedUntilMs ?? 0,
    shownClaims: [],
    dealt: {
      indexes: started.slots.map((slot) => slot.index),
      fromMs: started.nowMs,
      untilMs: started.nowMs + started.options.animationMs.refill,
    },
    paused: false,
    closed: false,
  };
}

/** Returns the slots after the changed slots were updated. */
export function placeCards(slots: readonly (number | null)[], changed: readonly Slot[]): (number | null)[] {
  const placed = [...slots];
  for (const slot of changed) placed[slot.index] = slot.cardId ?? null;
  return placed;
}

/** Returns a player with the end of their clock. `nowMs` is the match time of the message. */
export function withClockEnd(player: Player, nowMs: number): MatchPlayer {
  return player.timeRemainingMs === undefined
    ? player
    : { ...player, clockEndsMs: nowMs + player.timeRemainingMs };
}

/** Returns the player in a seat. */
export function playerIn(match: MatchModel, seat: number): MatchPlayer | undefined {
  return match.players.find((player) => player.seat === seat);
}

/** Returns the time left on a player's clock, which stops at the end; undefined without a time limit. */
export function clockLeftMs(match: MatchModel, player: MatchPlayer, nowMs: number): number | undefined {
  if (player.clockEndsMs === undefined || match.results !== null) return player.timeRemainingMs;
  return Math.max(0, player.clockEndsMs - nowMs);
}

/** Returns whether `EXTEND` can still make the fill time longer. */
export function canExtend(match: MatchModel): boolean {
  return match.yourSeats.length > 0 && match.fillDeadlineMs < LONGEST_FILL_MS;
}

/** Returns whether a game is running. */
export function isPlaying(match: MatchModel): boolean {
  return match.results === null && match.phase !== "PHASE_WAITING" && match.phase !== "PHASE_MATCH_END";
}

/** Returns whether claims of a seat are locked at the match time `nowMs`. */
export function isLocked(match: MatchModel, seat: number, nowMs: number): boolean {
  return nowMs < match.lockedUntilMs || nowMs < (playerIn(match, seat)?.lockedUntilMs ?? 0);
}

/**
 * Returns the other players who cannot play a rematch, because they have left: without a connection, or out of the game
 * and without a vote for a rematch.
 */
export function playersWhoLeft(match: MatchModel): readonly MatchPlayer[] {
  return match.players.filter(
    ({ seat, bot, status, ready }) =>
      !match.yourSeats.includes(seat) && !bot && !ready && status !== "PLAYER_STATUS_CONNECTED",
  );
}

/** Returns whether the players who are still in the match are enough for a rematch. */
export function enoughForRematch(match: MatchModel): boolean {
  return match.players.length - playersWhoLeft(match).length >= match.options.minPlayers;
}

/** Returns how long a rematch is possible, in milliseconds of match time; 0 if the match has stopped. */
export function rematchLeftMs(match: MatchModel, nowMs: number): number {
  if (match.results === null || NO_REMATCH.includes(match.results.reason)) return 0;
  return Math.max(0, match.endedMs + REMATCH_WITHIN_MS - nowMs);
}
