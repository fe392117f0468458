import { describe, expect, test } from "vitest";
import { CARDS } from "../src/game/cards";
import { type GameRecord, type RecordLine, replay } from "../src/game/replay";
import { findSets, isSet } from "../src/game/sets";

/** Returns a deck in a pseudo-random order. */
function deckOf(seed: number): number[] {
  const deck = Array.from({ length: CARDS }, (_, id) => id);
  let state = seed;
  for (let i = CARDS - 1; i > 0; i -= 1) {
    state = (state * 48271) % 2147483647;
    const j = state % (i + 1);
    [deck[i], deck[j]] = [deck[j] ?? 0, deck[i] ?? 0];
  }
  return deck;
}

/** Returns a full game in which the first Set of each board is claimed. */
function gameOf(seed: number): GameRecord {
  const deck = deckOf(seed);
  const log: RecordLine[] = [];
  for (;;) {
    const last = replay({ deck, log, startedMs: 0 }).at(-1);
    const set = last?.sets[0];
    if (set === undefined) return { deck, log, startedMs: 0 };
    log.push({ atMs: 1000 * (log.length + 1), kind: "claim", seat: log.length % 2, cardIds: set });
  }
}

describe.each([1, 2, 3, 20261129])("the game with seed %i", (seed) => {
  const game = gameOf(seed);
  const steps = replay(game);
  const taken = steps.flatMap((step) => step.taken);

  test("ends without a Set and with an empty deck", () => {
    expect(steps.at(-1)?.sets).toEqual([]);
    expect(steps.at(-1)?.cardsRemaining).toBe(0);
  });

  test("contains each card once, claimed or left", () => {
    const left = steps.at(-1)?.slots.filter((card) => card !== null) ?? [];
    expect([...taken, ...left].sort((a, b) => a - b)).toEqual([...game.deck].sort((a, b) => a - b));
  });

  test("has a step for each claim, with its Set on the board", () => {
    const claims = steps.filter((step) => step.seat !== null);
    expect(claims.length).toBe(game.log.length);
    for (const step of claims) {
      const [a = 0, b = 0, c = 0] = step.taken;
      expect(isSet(a, b, c)).toBe(true);
      expect(step.taken.every((card) => step.slots.includes(card))).toBe(true);
    }
  });

  test("expands exactly the boards without a Set", () => {
    for (const step of steps.slice(0, -1)) expect(step.expanded).toBe(step.sets.length === 0);
  });
});

test("a refill uses the slots of the taken Set", () => {
  const game = gameOf(1);
  const [before, after] = replay(game);
  const changed = before?.slots.flatMap((card, index) => (card === after?.slots[index] ? [] : [index]));
  expect(changed).toEqual(before?.taken.map((card) => before.slots.indexOf(card)).sort((a, b) => a - b));
});

test("invalid claims, stale claims and other events add no step", () => {
  const game = gameOf(1);
  const [first] = game.log;
  const cards = game.deck.slice(0, 12);
  const mixed = [
    cards[0] ?? 0,
    cards[1] ?? 0,
    cards.find((c) => !isSet(cards[0] ?? 0, cards[1] ?? 0, c) && c !== cards[0] && c !== cards[1]) ?? 0,
  ];
  const withOthers: RecordLine[] = [
    { atMs: 1, kind: "claim", seat: 0, cardIds: mixed },
    { atMs: 2, kind: "disconnect", seat: 1 },
    ...(first === undefined ? [] : [first, { ...first, seat: 1 }]),
  ];
  const claimOnly = first === undefined ? [] : [first];
  expect(replay({ ...game, log: withOthers })).toEqual(replay({ ...game, log: claimOnly }));
});

test("the time of a step is relative to the start of the game", () => {
  const game = gameOf(2);
  const later = { ...game, startedMs: 400 };
  expect(replay(later)[0]?.endedMs).toBe(findSets(game.deck.slice(0, 12)).length > 0 ? 600 : null);
});
