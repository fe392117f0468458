import { expect, test } from "vitest";
import { attributesOf, CARDS, cardName, digitsOf } from "../src/game/cards";
import { findSets, isSet, thirdCard } from "../src/game/sets";

const ALL = Array.from({ length: CARDS }, (_, id) => id);

/** The rule as in the rule text: each attribute is all the same or all different. */
function isSetByRuleText(cards: readonly number[]): boolean {
  return [0, 1, 2, 3].every((index) => new Set(cards.map((card) => digitsOf(card)[index])).size !== 2);
}

test("ids 0, 41 and 80 have the expected attributes", () => {
  expect(attributesOf(0)).toEqual({ number: 1, shape: "diamond", color: "red", shading: "solid" });
  expect(attributesOf(41)).toEqual({ number: 2, shape: "squiggle", color: "green", shading: "open" });
  expect(attributesOf(80)).toEqual({ number: 3, shape: "oval", color: "purple", shading: "open" });
});

test("all ids have different attributes and names", () => {
  expect(new Set(ALL.map((id) => JSON.stringify(attributesOf(id)))).size).toBe(CARDS);
  expect(new Set(ALL.map(cardName)).size).toBe(CARDS);
});

test("a card name is plural for more than one symbol", () => {
  expect(cardName(0)).toBe("one solid red diamond");
  expect(cardName(40)).toBe("two striped green squiggles");
});

test.each([-1, 81, 1.5, Number.NaN])("%s is not a card id", (id) => {
  expect(() => attributesOf(id)).toThrow("allowed are the integers 0..80");
});

test("a deck has 1080 Sets, 40 for each card", () => {
  const sets = findSets(ALL);
  expect(sets.length).toBe(1080);
  expect(sets.every(isSetByRuleText)).toBe(true);
  expect(sets.filter((set) => set.includes(17)).length).toBe(40);
});

test("any two cards have exactly one third card", () => {
  for (const a of ALL.filter((card) => card % 7 === 0)) {
    for (const b of ALL.filter((card) => card !== a)) {
      const thirds = ALL.filter((c) => c !== a && c !== b && isSetByRuleText([a, b, c]));
      expect(thirds).toEqual([thirdCard(a, b)]);
    }
  }
});

test("the same card three times is not a Set", () => {
  expect(isSet(5, 5, 5)).toBe(false);
  expect(isSet(0, 1, 2)).toBe(true);
  expect(isSet(0, 1, 3)).toBe(false);
});

test("fewer than three cards contain no Set", () => {
  expect(findSets([])).toEqual([]);
  expect(findSets([1, 2])).toEqual([]);
});
