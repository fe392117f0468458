/** The rule of SET, for the replay only. During a game the rules service judges claims. */

import { digitsOf } from "./cards";

export type Triple = readonly [number, number, number];

/** Returns the only card that makes a Set with two different cards. */
export function thirdCard(a: number, b: number): number {
  const second = digitsOf(b);
  return digitsOf(a).reduce((id, digit, i) => id * 3 + ((6 - digit - (second[i] ?? 0)) % 3), 0);
}

/** Returns whether three different cards are a Set. */
export function isSet(a: number, b: number, c: number): boolean {
  return thirdCard(a, b) === c && a !== b;
}

/** Returns every Set in these cards once, in the order of the cards. */
export function findSets(cards: readonly number[]): Triple[] {
  const indexes = new Map(cards.map((card, index) => [card, index]));
  return cards.flatMap((a, i) =>
    cards.slice(i + 1).flatMap((b, offset): Triple[] => {
      const c = thirdCard(a, b);
      return (indexes.get(c) ?? -1) > i + 1 + offset ? [[a, b, c]] : [];
    }),
  );
}
