/** Choosing cards: a touch selects, another deselects, the third card claims. */

export const SET_SIZE = 3;

/** Returns the selection after a touch on a card; never more than three. */
export function toggle(picked: readonly number[], cardId: number): readonly number[] {
  if (picked.includes(cardId)) return picked.filter((card) => card !== cardId);
  return picked.length < SET_SIZE ? [...picked, cardId] : picked;
}

/** Returns the selection without cards that are no longer on the board. */
export function stillThere(picked: readonly number[], slots: readonly (number | null)[]): readonly number[] {
  return picked.every((card) => slots.includes(card))
    ? picked
    : picked.filter((card) => slots.includes(card));
}
