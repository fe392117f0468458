/** Keyboard navigation on the board: four columns, row by row in slot order. */

export const COLUMNS = 4;

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -COLUMNS,
  ArrowDown: COLUMNS,
};

/** Returns the slot that a key moves the focus to, or undefined for other keys. */
export function slotAfterKey(index: number, key: string, slots: number): number | undefined {
  if (key === "Home") return 0;
  if (key === "End") return slots - 1;
  const step = STEPS[key];
  if (step === undefined) return undefined;
  const target = index + step;
  const acrossEdge = Math.abs(step) === 1 && Math.floor(target / COLUMNS) !== Math.floor(index / COLUMNS);
  return target < 0 || target >= slots || acrossEdge ? index : target;
}

/** Returns the position of a slot in words: "row 2, column 3". */
export function positionName(index: number): string {
  return `row ${Math.floor(index / COLUMNS) + 1}, column ${(index % COLUMNS) + 1}`;
}
