/** Geometry of a card, in units of its view box. */

import type { Shape } from "./cards";

export const CARD_WIDTH = 100;
export const CARD_HEIGHT = 125;
export const STROKE = 3.4;

const PITCH = 37;

/** Outlines of the symbols around the origin, 68 wide and 28 high. */
export const OUTLINES: Readonly<Record<Shape, string>> = {
  diamond: "M-34 0 0-14 34 0 0 14Z",
  oval: "M-20-14H20A14 14 0 0 1 20 14H-20A14 14 0 0 1-20-14Z",
  squiggle:
    "M-33 7C-36-9-22-17-8-13 2-10 10-6 20-11 27-15 32-15 33-7 36 9 22 17 8 13-2 10-10 6-20 11-27 15-32 15-33 7Z",
};

/** Returns the center of each symbol of a card, from top to bottom. */
export function centers(number: 1 | 2 | 3): readonly (readonly [number, number])[] {
  return Array.from({ length: number }, (_, index) => [
    CARD_WIDTH / 2,
    CARD_HEIGHT / 2 + (index - (number - 1) / 2) * PITCH,
  ]);
}
