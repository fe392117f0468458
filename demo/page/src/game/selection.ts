/** Selection of cards: a touch selects or deselects a card, the third card makes a claim. */

export const SET_SIZE = 3;

/** Returns the selection after a touch on a card, with three cards at most. */
export function toggle(selected: readonly number[], cardId: number): readonly number[] {
  if (selected.includes(cardId)) return selected.filter((card) => card !== cardId);
  return selected.length < SET_SIZE ? [...selected, cardId] : selected;
}

/** Returns the selection without cards that left the board; the same array if none did. */
export function stillOnBoard(
  selected: readonly number[],
  slots: readonly (number | null)[],
): readonly number[] {
  return selected.every((card) => slots.includes(card))
    ? selected
    : selected.filter((card) => slots.includes(card));
}
