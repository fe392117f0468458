import { describe, expect, test } from "vitest";
import { COLORS, SHAPES } from "../src/game/cards";
import { CARD_HEIGHT, CARD_WIDTH, centers, OUTLINES, STROKE } from "../src/game/glyph";
import { CARD_FACE, MARKS, PALETTES, type PaletteName, showsMarks } from "../src/game/palettes";
import { contrast, difference, VISIONS } from "./vision";

const NAMES = Object.keys(PALETTES) as PaletteName[];
const HALF_HEIGHT = 14;
const HALF_WIDTH = 34;

describe("a card", () => {
  test.each([1, 2, 3] as const)("has room for %i symbols without overlap", (number) => {
    const symbols = centers(number);
    expect(symbols.length).toBe(number);
    const reach = HALF_HEIGHT + STROKE / 2;
    symbols.forEach(([x, y], i) => {
      expect(Math.abs(x - CARD_WIDTH / 2) + HALF_WIDTH + STROKE / 2).toBeLessThan(CARD_WIDTH / 2);
      expect(y - reach).toBeGreaterThan(0);
      expect(y + reach).toBeLessThan(CARD_HEIGHT);
      expect(y - (symbols[i - 1]?.[1] ?? -CARD_HEIGHT)).toBeGreaterThan(2 * reach);
    });
  });

  test("centers its symbols vertically", () => {
    for (const number of [1, 2, 3] as const) {
      const heights = centers(number).map(([, y]) => y);
      expect(heights.reduce((sum, y) => sum + y, 0) / number).toBe(CARD_HEIGHT / 2);
    }
  });

  test("has a different closed outline for each shape", () => {
    expect(new Set(SHAPES.map((shape) => OUTLINES[shape])).size).toBe(SHAPES.length);
    expect(SHAPES.every((shape) => OUTLINES[shape].endsWith("Z"))).toBe(true);
  });
});

describe("palettes", () => {
  test.each(NAMES)("%s contrasts with the card", (name) => {
    for (const color of COLORS) expect(contrast(PALETTES[name][color], CARD_FACE)).toBeGreaterThanOrEqual(3);
  });

  test.each(Object.entries(VISIONS))("safe has different colors for %s", (_name, toLab) => {
    const colors = COLORS.map((color) => toLab(PALETTES.safe[color]));
    const [a, b, c] = colors as [number[], number[], number[]];
    for (const pair of [difference(a, b), difference(a, c), difference(b, c)])
      expect(pair).toBeGreaterThan(25);
  });

  test("letters are always shown if the colors are equal", () => {
    expect(new Set(COLORS.map((color) => MARKS[color])).size).toBe(3);
    expect(showsMarks("mono", false)).toBe(true);
    expect(showsMarks("classic", false)).toBe(false);
    expect(showsMarks("classic", true)).toBe(true);
  });
});
