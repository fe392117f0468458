/** The rule, for what the page shows after a game. During a game the referee judges. */

import { digitsOf } from "./cards";

export type Triple = readonly [number, number, number];

/** Returns the one card that makes a Set with two different cards. */
export function completing(a: number, b: number): number {
  const second = digitsOf(b);
  return digitsOf(a).reduce((id, digit, place) => id * 3 + ((6 - digit - (second[place] ?? 0)) % 3), 0);
}

/** Returns whether three different cards are a Set. */
export function isSet(a: number, b: number, c: number): boolean {
  return completing(a, b) === c && a !== b;
}

/** Returns every Set among these cards, once each, in the order of the cards. */
export function findSets(cards: readonly number[]): Triple[] {
  const place = new Map(cards.map((card, index) => [card, index]));
  return cards.flatMap((a, i) =>
    cards.slice(i + 1).flatMap((b, offset): Triple[] => {
      const c = completing(a, b);
      return (place.get(c) ?? -1) > i + 1 + offset ? [[a, b, c]] : [];
    }),
  );
}
