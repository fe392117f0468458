/** What each message of the match does to the table. */

import type {
  BoardExpanded,
  ClaimResult,
  MatchEnded,
  Message,
  PlayerChanged,
  ServiceStatus,
} from "../protocol/messages";
import { Op } from "../protocol/vocabulary";
import { clockAt, matchNow, setRunning } from "./clock";
import { fromSnapshot, fromStart, place, type Showing, seated, type Table } from "./table";

/**
 * Returns the table after a message heard at the client's time `localMs`.
 *
 * Messages to all are numbered: one that comes twice changes nothing; after a gap the table is `behind`
 * and believes snapshots only.
 */
export function apply(table: Table | null, message: Message, localMs: number): Table | null {
  if (message.op === Op.SNAPSHOT) return resumed(table, fromSnapshot(message.body, localMs));
  if (table === null || table.behind) return table;
  if (!("seq" in message.body)) return applyUnnumbered(table, message, localMs);
  if (message.body.seq <= table.seq) return table;
  if (message.body.seq > table.seq + 1) return { ...table, behind: true };
  return { ...applyNumbered(table, message, localMs), seq: message.body.seq };
}

/** A snapshot of the same game does not cut short what is being shown. */
function resumed(before: Table | null, now: Table): Table {
  const same = before !== null && before.game === now.game && before.seq === now.seq;
  return same ? { ...now, showings: before.showings, dealt: before.dealt, endedMs: endOf(before, now) } : now;
}

/** The first to tell of the end was nearest to it. */
function endOf(before: Table, now: Table): number {
  return before.results === null ? now.endedMs : before.endedMs;
}

function applyUnnumbered(table: Table, message: Message, localMs: number): Table {
  return message.op === Op.SERVICE_STATUS ? serviceStatus(table, message.body, localMs) : table;
}

function applyNumbered(table: Table, message: Message, localMs: number): Table {
  switch (message.op) {
    case Op.MATCH_STARTED:
      return fromStart(message.body, table.yourSeats, localMs);
    case Op.CLAIM_RESULT:
      return claimResult(table, message.body, localMs);
    case Op.BOARD_EXPANDED:
      return boardExpanded(table, message.body, localMs);
    case Op.PLAYER_CHANGED:
      return playerChanged(table, message.body, localMs);
    case Op.MATCH_ENDED:
      return matchEnded(table, message.body, localMs);
    case Op.FILL_TIME:
      return { ...table, fillDeadlineMs: message.body.fillDeadlineMs };
    default:
      return table;
  }
}

/** When a claim was judged follows from its lock. */
function judgedAt(table: Table, told: ClaimResult, localMs: number): number {
  const { validSet, refill, invalidSet } = table.options.animationMs;
  if (told.valid) return told.lockedUntilMs - validSet - refill;
  const own = told.player.lockedUntilMs;
  return own === undefined ? matchNow(table.clock, localMs) : own - invalidSet;
}

function claimResult(table: Table, told: ClaimResult, localMs: number): Table {
  const nowMs = judgedAt(table, told, localMs);
  const known = { ...withPlayer(table, told.player, nowMs), clock: clockAt(nowMs, localMs) };
  const showings = [...current(table, nowMs), showing(table, told, nowMs)];
  return told.valid ? taken({ ...known, showings }, told) : { ...known, showings };
}

function taken(table: Table, told: ClaimResult): Table {
  return {
    ...table,
    phase: told.phase,
    slots: place(table.slots, told.slots),
    cardsRemaining: told.cardsRemaining,
    lockedUntilMs: told.lockedUntilMs,
    dealt: {
      indexes: told.slots.map((slot) => slot.index),
      fromMs: told.lockedUntilMs - table.options.animationMs.refill,
      untilMs: told.lockedUntilMs,
    },
  };
}

function showing(table: Table, told: ClaimResult, nowMs: number): Showing {
  const { validSet, invalidSet } = table.options.animationMs;
  return {
    seat: told.seat,
    valid: told.valid,
    message: told.message,
    placed: told.cardIds.flatMap((cardId) => {
      const index = table.slots.indexOf(cardId);
      return index < 0 ? [] : [{ index, cardId }];
    }),
    untilMs: nowMs + (told.valid ? validSet : invalidSet),
  };
}

function current(table: Table, nowMs: number): Showing[] {
  return table.showings.filter((shown) => shown.untilMs > nowMs);
}

function boardExpanded(table: Table, told: BoardExpanded, localMs: number): Table {
  const fromMs = told.lockedUntilMs - table.options.animationMs.expandBoard;
  return {
    ...table,
    phase: told.phase,
    clock: clockAt(fromMs, localMs),
    slots: place(table.slots, told.slots),
    cardsRemaining: told.cardsRemaining,
    lockedUntilMs: told.lockedUntilMs,
    dealt: { indexes: told.slots.map((slot) => slot.index), fromMs, untilMs: told.lockedUntilMs },
  };
}

function playerChanged(table: Table, told: PlayerChanged, localMs: number): Table {
  const isOut = told.change === "PLAYER_CHANGE_FORFEITED" || told.change === "PLAYER_CHANGE_KICKED";
  const gone = isOut && table.phase === "PHASE_WAITING";
  if (!gone) return withPlayer(table, told.player, matchNow(table.clock, localMs));
  return { ...table, players: table.players.filter((player) => player.seat !== told.player.seat) };
}

function matchEnded(table: Table, told: MatchEnded, localMs: number): Table {
  const { seq: _seq, ...results } = told;
  return { ...table, phase: "PHASE_MATCH_END", results, endedMs: matchNow(table.clock, localMs) };
}

function serviceStatus(table: Table, told: ServiceStatus, localMs: number): Table {
  const clock = setRunning(table.clock, !told.paused, localMs);
  return { ...table, clock, paused: told.paused, closed: told.closed };
}

function withPlayer(table: Table, told: Table["players"][number], nowMs: number): Table {
  const others = table.players.filter((player) => player.seat !== told.seat);
  return { ...table, players: [...others, seated(told, nowMs)].sort((a, b) => a.seat - b.seat) };
}
