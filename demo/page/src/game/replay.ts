/** Replay of a finished game: all boards, their valid claims, and the Sets that nobody claimed. */

import { SET_SIZE } from "./selection";
import { findSets, type Triple } from "./sets";

const FIRST_BOARD = 12;
const LARGEST_BOARD = 21;

/** Line of a record: an event that changed the game, with its match time in milliseconds. */
export interface RecordLine {
  readonly atMs: number;
  readonly kind: string;
  readonly seat?: number;
  readonly cardIds?: readonly number[];
}

/** The fields of a record that the replay uses. The RPC `set_record` returns it. */
export interface GameRecord {
  readonly deck: readonly number[];
  readonly log: readonly RecordLine[];
  readonly startedMs: number;
}

/** One board of a game. It ends with a valid claim, an expansion, or the end of the game. */
export interface ReplayStep {
  readonly slots: readonly (number | null)[];
  readonly cardsRemaining: number;
  readonly sets: readonly Triple[];
  /** The claimed Set, in the order of the claim; empty if the board did not end with a claim. */
  readonly taken: readonly number[];
  readonly seat: number | null;
  readonly expanded: boolean;
  /** When the board ended, in milliseconds since the start of the game; null without a claim. */
  readonly endedMs: number | null;
}

interface Cursor {
  readonly slots: readonly (number | null)[];
  readonly drawn: number;
}

/** Returns all boards of a game in order. */
export function replay(record: GameRecord): ReplayStep[] {
  const steps: ReplayStep[] = [];
  let cursor: Cursor = { slots: record.deck.slice(0, FIRST_BOARD), drawn: FIRST_BOARD };
  for (const line of record.log) {
    cursor = expand(record.deck, cursor, steps);
    const claimed = line.kind === "claim" ? (line.cardIds ?? []) : [];
    if (!isValidClaim(claimed, cursor)) continue;
    steps.push(
      step(record.deck, cursor, {
        taken: claimed,
        seat: line.seat ?? null,
        endedMs: line.atMs - record.startedMs,
      }),
    );
    cursor = refill(record.deck, cursor, claimed);
  }
  cursor = expand(record.deck, cursor, steps);
  return [...steps, step(record.deck, cursor, {})];
}

function step(deck: readonly number[], cursor: Cursor, end: Partial<ReplayStep>): ReplayStep {
  const sets = findSets(cardsOn(cursor));
  const cardsRemaining = deck.length - cursor.drawn;
  return {
    slots: cursor.slots,
    cardsRemaining,
    sets,
    taken: [],
    seat: null,
    expanded: false,
    endedMs: null,
    ...end,
  };
}

function expand(deck: readonly number[], before: Cursor, steps: ReplayStep[]): Cursor {
  let cursor = before;
  while (mustExpand(deck, cursor)) {
    steps.push(step(deck, cursor, { expanded: true }));
    const added = deck.slice(cursor.drawn, cursor.drawn + SET_SIZE);
    cursor = { slots: [...cursor.slots, ...added], drawn: cursor.drawn + SET_SIZE };
  }
  return cursor;
}

function mustExpand(deck: readonly number[], cursor: Cursor): boolean {
  const canExpand = cursor.slots.length < LARGEST_BOARD && deck.length - cursor.drawn >= SET_SIZE;
  return canExpand && findSets(cardsOn(cursor)).length === 0;
}

function refill(deck: readonly number[], cursor: Cursor, claimed: readonly number[]): Cursor {
  const count = deck.length - cursor.drawn >= SET_SIZE ? SET_SIZE : 0;
  const newCards = deck.slice(cursor.drawn, cursor.drawn + count);
  const slots = cursor.slots.map((card) =>
    card !== null && claimed.includes(card) ? (newCards.shift() ?? null) : card,
  );
  return { slots, drawn: cursor.drawn + count };
}

function isValidClaim(claimed: readonly number[], cursor: Cursor): boolean {
  const onBoard = claimed.length === SET_SIZE && claimed.every((card) => cursor.slots.includes(card));
  return onBoard && findSets(claimed).length === 1;
}

function cardsOn(cursor: Cursor): number[] {
  return cursor.slots.filter((card) => card !== null);
}
