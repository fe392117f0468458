/** Card ids 0..80 and their attributes: id = 27 * number + 9 * shape + 3 * color + shading. */

export const CARDS = 81;

export type Shape = "diamond" | "squiggle" | "oval";
export type Color = "red" | "green" | "purple";
type Shading = "solid" | "striped" | "open";

export const SHAPES: readonly Shape[] = ["diamond", "squiggle", "oval"];
export const COLORS: readonly Color[] = ["red", "green", "purple"];
const SHADINGS: readonly Shading[] = ["solid", "striped", "open"];
const NUMBERS = ["one", "two", "three"] as const;

export interface CardAttributes {
  readonly number: 1 | 2 | 3;
  readonly shape: Shape;
  readonly color: Color;
  readonly shading: Shading;
}

/** Returns the attributes of a card id as digits 0..2: number, shape, color, shading. */
export function digitsOf(id: number): readonly [number, number, number, number] {
  return [Math.floor(id / 27), Math.floor(id / 9) % 3, Math.floor(id / 3) % 3, id % 3];
}

/** Returns the attributes of a card. Throws a RangeError if the id is not in 0..80. */
export function attributesOf(id: number): CardAttributes {
  const [number, shape, color, shading] = digitsOf(id);
  return {
    number: (number + 1) as 1 | 2 | 3,
    shape: pick(SHAPES, shape, id),
    color: pick(COLORS, color, id),
    shading: pick(SHADINGS, shading, id),
  };
}

/** Returns the card in words, for screen readers: "two striped green squiggles". */
export function cardName(id: number): string {
  const { number, shape, color, shading } = attributesOf(id);
  return `${NUMBERS[number - 1]} ${shading} ${color} ${shape}${number > 1 ? "s" : ""}`;
}

function pick<T>(values: readonly T[], index: number, id: number): T {
  const value = Number.isInteger(id) && id >= 0 && id < CARDS ? values[index] : undefined;
  if (value === undefined) throw new RangeError(`card id ${id}: allowed are the integers 0..80`);
  return value;
}
