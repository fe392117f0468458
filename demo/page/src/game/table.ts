/** The table as this client knows it: what a snapshot tells, kept up to date by `apply`. */

import type { MatchOptions, MatchStarted, Player, Results, Slot, Snapshot } from "../protocol/messages";
import type { EndReason, Phase } from "../protocol/vocabulary";
import { clockAt, type MatchClock } from "./clock";

/** A player, with the end of their own clock in match time, in timed games. */
export interface Seated extends Player {
  readonly clockEndsMs?: number;
}

/** The cards of a judged claim, shown until a time on the match clock. */
export interface Showing {
  readonly seat: number;
  readonly valid: boolean;
  readonly message: string;
  readonly placed: readonly { readonly index: number; readonly cardId: number }[];
  readonly untilMs: number;
}

export interface Table {
  /** The number of the last message to all. */
  readonly seq: number;
  /** Whether a message to all was missed: nothing counts until the next snapshot. */
  readonly behind: boolean;
  readonly game: number;
  readonly phase: Phase;
  readonly options: MatchOptions;
  readonly players: readonly Seated[];
  /** The card in each slot, by slot index. */
  readonly slots: readonly (number | null)[];
  readonly cardsRemaining: number;
  readonly yourSeats: readonly number[];
  /** The user who created the match; empty if it was created for others. */
  readonly creatorId: string;
  /** Until when the match must fill, in match time; 0 after the start. */
  readonly fillDeadlineMs: number;
  readonly results: Results | null;
  /** When this client heard of the end, in match time; a match stays a while for a rematch. */
  readonly endedMs: number;
  readonly clock: MatchClock;
  /** Until when everybody's claims are locked. */
  readonly lockedUntilMs: number;
  readonly showings: readonly Showing[];
  /** Slots whose cards have just come, and until when that is shown. */
  readonly dealt: { readonly indexes: readonly number[]; readonly fromMs: number; readonly untilMs: number };
  /** Whether the referee is away, and whether for good. */
  readonly paused: boolean;
  readonly closed: boolean;
}

/** How long a match stays after the end for a rematch, in milliseconds (docs/protocol.md, MATCH_ENDED). */
const REMATCH_WITHIN_MS = 30_000;

/** Ends after which a match stops at once. */
const CUT_OFF: readonly EndReason[] = ["END_REASON_ABANDONED", "END_REASON_TERMINATED"];

const NOTHING_DEALT = { indexes: [], fromMs: 0, untilMs: 0 } as const;

/** Returns the table that a snapshot describes, heard at the client's time `localMs`. */
export function fromSnapshot(told: Snapshot, localMs: number): Table {
  return {
    ...fromStart(told, told.yourSeats, localMs),
    creatorId: told.creatorId,
    fillDeadlineMs: told.fillDeadlineMs ?? 0,
    dealt: NOTHING_DEALT,
    results: told.results ?? null,
    endedMs: told.nowMs,
  };
}

/** Returns the table at the start of a game, its first cards being dealt. */
export function fromStart(told: MatchStarted, yourSeats: readonly number[], localMs: number): Table {
  return {
    seq: told.seq,
    behind: false,
    game: told.game,
    phase: told.phase,
    options: told.options,
    players: told.players.map((player) => seated(player, told.nowMs)),
    slots: place([], told.slots),
    cardsRemaining: told.cardsRemaining,
    yourSeats,
    creatorId: "",
    fillDeadlineMs: 0,
    results: null,
    endedMs: 0,
    clock: clockAt(told.nowMs, localMs),
    lockedUntilMs: told.lockedUntilMs ?? 0,
    showings: [],
    dealt: {
      indexes: told.slots.map((slot) => slot.index),
      fromMs: told.nowMs,
      untilMs: told.nowMs + told.options.animationMs.refill,
    },
    paused: false,
    closed: false,
  };
}

/** Returns the slots with the changed ones in their places. */
export function place(slots: readonly (number | null)[], changed: readonly Slot[]): (number | null)[] {
  const placed = [...slots];
  for (const slot of changed) placed[slot.index] = slot.cardId ?? null;
  return placed;
}

/** Returns a player as told at the match time `nowMs`. */
export function seated(player: Player, nowMs: number): Seated {
  return player.timeRemainingMs === undefined
    ? player
    : { ...player, clockEndsMs: nowMs + player.timeRemainingMs };
}

/** Returns the player in a seat. */
export function playerIn(table: Table, seat: number): Seated | undefined {
  return table.players.find((player) => player.seat === seat);
}

/** Returns whether a game is on. */
export function isPlaying(table: Table): boolean {
  return table.results === null && table.phase !== "PHASE_WAITING" && table.phase !== "PHASE_MATCH_END";
}

/** Returns whether claims of this seat are locked at the match time `nowMs`. */
export function isLocked(table: Table, seat: number, nowMs: number): boolean {
  return nowMs < table.lockedUntilMs || nowMs < (playerIn(table, seat)?.lockedUntilMs ?? 0);
}

/** Returns how long a rematch can still be asked for, in milliseconds of match time; 0: the match has stopped. */
export function rematchLeftMs(table: Table, nowMs: number): number {
  if (table.results === null || CUT_OFF.includes(table.results.reason)) return 0;
  return Math.max(0, table.endedMs + REMATCH_WITHIN_MS - nowMs);
}
