/** A finished game, step by step: the boards, what was claimed, and which Sets nobody saw. */

import { findSets, type Triple } from "./sets";

const FIRST_BOARD = 12;
const AT_ONCE = 3;
const LARGEST_BOARD = 21;

/** A line of a record: something that moved the game, at its match-clock millisecond. */
export interface RecordLine {
  readonly atMs: number;
  readonly kind: string;
  readonly seat?: number;
  readonly cardIds?: readonly number[];
}

/** What the replay needs of a record, as the RPC `set_record` returns it. */
export interface GameRecord {
  readonly deck: readonly number[];
  readonly log: readonly RecordLine[];
  readonly startedMs: number;
}

/** One board of a game and how it ended: by whose Set, or by three more cards, or with the game. */
export interface ReplayStep {
  readonly slots: readonly (number | null)[];
  readonly cardsRemaining: number;
  readonly sets: readonly Triple[];
  /** The Set that was taken, in the order of the claim; empty if the board was not left by one. */
  readonly taken: readonly number[];
  readonly seat: number | null;
  readonly expanded: boolean;
  /** How long after the start of the game this board was left, or null for the last one. */
  readonly leftMs: number | null;
}

interface Cursor {
  readonly slots: readonly (number | null)[];
  readonly drawn: number;
}

/** Returns every board of a game, from the first deal to the end. */
export function replay(record: GameRecord): ReplayStep[] {
  const steps: ReplayStep[] = [];
  let cursor: Cursor = { slots: record.deck.slice(0, FIRST_BOARD), drawn: FIRST_BOARD };
  for (const line of record.log) {
    cursor = expand(record.deck, cursor, steps);
    const claimed = line.kind === "claim" ? (line.cardIds ?? []) : [];
    if (!isOnBoard(claimed, cursor)) continue;
    steps.push(
      step(record.deck, cursor, {
        taken: claimed,
        seat: line.seat ?? null,
        leftMs: line.atMs - record.startedMs,
      }),
    );
    cursor = refill(record.deck, cursor, claimed);
  }
  cursor = expand(record.deck, cursor, steps);
  return [...steps, step(record.deck, cursor, {})];
}

function step(deck: readonly number[], cursor: Cursor, how: Partial<ReplayStep>): ReplayStep {
  const sets = findSets(cardsOn(cursor));
  const cardsRemaining = deck.length - cursor.drawn;
  return {
    slots: cursor.slots,
    cardsRemaining,
    sets,
    taken: [],
    seat: null,
    expanded: false,
    leftMs: null,
    ...how,
  };
}

function expand(deck: readonly number[], before: Cursor, steps: ReplayStep[]): Cursor {
  let cursor = before;
  while (mustExpand(deck, cursor)) {
    steps.push(step(deck, cursor, { expanded: true }));
    const added = deck.slice(cursor.drawn, cursor.drawn + AT_ONCE);
    cursor = { slots: [...cursor.slots, ...added], drawn: cursor.drawn + AT_ONCE };
  }
  return cursor;
}

function mustExpand(deck: readonly number[], cursor: Cursor): boolean {
  const room = cursor.slots.length < LARGEST_BOARD && deck.length - cursor.drawn >= AT_ONCE;
  return room && findSets(cardsOn(cursor)).length === 0;
}

function refill(deck: readonly number[], cursor: Cursor, claimed: readonly number[]): Cursor {
  const count = deck.length - cursor.drawn >= AT_ONCE ? AT_ONCE : 0;
  const fresh = deck.slice(cursor.drawn, cursor.drawn + count);
  const slots = cursor.slots.map((card) =>
    card !== null && claimed.includes(card) ? (fresh.shift() ?? null) : card,
  );
  return { slots, drawn: cursor.drawn + count };
}

function isOnBoard(claimed: readonly number[], cursor: Cursor): boolean {
  const there = claimed.length === AT_ONCE && claimed.every((card) => cursor.slots.includes(card));
  return there && findSets(claimed).length === 1;
}

function cardsOn(cursor: Cursor): number[] {
  return cursor.slots.filter((card) => card !== null);
}
