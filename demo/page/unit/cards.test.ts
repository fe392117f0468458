import { expect, test } from "vitest";
import { attributesOf, CARDS, cardName, digitsOf } from "../src/game/cards";
import { completing, findSets, isSet } from "../src/game/sets";

const ALL = Array.from({ length: CARDS }, (_, id) => id);

/** The rule as it is written: each attribute all the same or all different. */
function literally(cards: readonly number[]): boolean {
  return [0, 1, 2, 3].every((place) => new Set(cards.map((card) => digitsOf(card)[place])).size !== 2);
}

test("the corners of the deck carry what the card model says", () => {
  expect(attributesOf(0)).toEqual({ number: 1, shape: "diamond", color: "red", shading: "solid" });
  expect(attributesOf(41)).toEqual({ number: 2, shape: "squiggle", color: "green", shading: "open" });
  expect(attributesOf(80)).toEqual({ number: 3, shape: "oval", color: "purple", shading: "open" });
});

test("81 ids are 81 different cards, in attributes and in words", () => {
  expect(new Set(ALL.map((id) => JSON.stringify(attributesOf(id)))).size).toBe(CARDS);
  expect(new Set(ALL.map(cardName)).size).toBe(CARDS);
});

test("a card's name counts its symbols", () => {
  expect(cardName(0)).toBe("one solid red diamond");
  expect(cardName(40)).toBe("two striped green squiggles");
});

test.each([-1, 81, 1.5, Number.NaN])("%s is no card", (id) => {
  expect(() => attributesOf(id)).toThrow("allowed are the integers 0..80");
});

test("a deck has 1080 Sets, each card in 40 of them", () => {
  const sets = findSets(ALL);
  expect(sets.length).toBe(1080);
  expect(sets.every(literally)).toBe(true);
  expect(sets.filter((set) => set.includes(17)).length).toBe(40);
});

test("of any two cards the third that makes a Set is the only one", () => {
  for (const a of ALL.filter((card) => card % 7 === 0)) {
    for (const b of ALL.filter((card) => card !== a)) {
      const fitting = ALL.filter((c) => c !== a && c !== b && literally([a, b, c]));
      expect(fitting).toEqual([completing(a, b)]);
    }
  }
});

test("the same card three times is no Set to claim", () => {
  expect(isSet(5, 5, 5)).toBe(false);
  expect(isSet(0, 1, 2)).toBe(true);
  expect(isSet(0, 1, 3)).toBe(false);
});

test("fewer than three cards hold no Set", () => {
  expect(findSets([])).toEqual([]);
  expect(findSets([1, 2])).toEqual([]);
});
