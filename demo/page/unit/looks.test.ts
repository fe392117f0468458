import { describe, expect, test } from "vitest";
import { COLORS, SHAPES } from "../src/game/cards";
import { CARD_HEIGHT, CARD_WIDTH, centers, OUTLINES, STROKE } from "../src/game/glyph";
import { CARD_FACE, MARKS, marked, PALETTES, type PaletteName } from "../src/game/palettes";
import { contrast, difference, SIGHTS } from "./sight";

const NAMES = Object.keys(PALETTES) as PaletteName[];
const HALF_HEIGHT = 14;
const HALF_WIDTH = 34;

describe("a card", () => {
  test.each([1, 2, 3] as const)("shows %i symbols inside it, none touching another", (number) => {
    const places = centers(number);
    expect(places.length).toBe(number);
    const reach = HALF_HEIGHT + STROKE / 2;
    places.forEach(([x, y], i) => {
      expect(Math.abs(x - CARD_WIDTH / 2) + HALF_WIDTH + STROKE / 2).toBeLessThan(CARD_WIDTH / 2);
      expect(y - reach).toBeGreaterThan(0);
      expect(y + reach).toBeLessThan(CARD_HEIGHT);
      expect(y - (places[i - 1]?.[1] ?? -CARD_HEIGHT)).toBeGreaterThan(2 * reach);
    });
  });

  test("has its symbols around the middle", () => {
    for (const number of [1, 2, 3] as const) {
      const heights = centers(number).map(([, y]) => y);
      expect(heights.reduce((sum, y) => sum + y, 0) / number).toBe(CARD_HEIGHT / 2);
    }
  });

  test("has a closed outline of its own for every shape", () => {
    expect(new Set(SHAPES.map((shape) => OUTLINES[shape])).size).toBe(SHAPES.length);
    expect(SHAPES.every((shape) => OUTLINES[shape].endsWith("Z"))).toBe(true);
  });
});

describe("palettes", () => {
  test.each(NAMES)("%s stands out from the card", (name) => {
    for (const color of COLORS) expect(contrast(PALETTES[name][color], CARD_FACE)).toBeGreaterThanOrEqual(3);
  });

  test.each(Object.entries(SIGHTS))("the safe one tells its colours apart for %s", (_name, see) => {
    const seen = COLORS.map((color) => see(PALETTES.safe[color]));
    const [a, b, c] = seen as [number[], number[], number[]];
    for (const pair of [difference(a, b), difference(a, c), difference(b, c)])
      expect(pair).toBeGreaterThan(25);
  });

  test("where colours do not differ, letters do", () => {
    expect(new Set(COLORS.map((color) => MARKS[color])).size).toBe(3);
    expect(marked("mono", false)).toBe(true);
    expect(marked("classic", false)).toBe(false);
    expect(marked("classic", true)).toBe(true);
  });
});
