/** Moving over the board by keys: four columns by slot index. */

export const COLUMNS = 4;

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -COLUMNS,
  ArrowDown: COLUMNS,
};

/** Returns the slot that a key moves to from `index`, or undefined if the key does not move. */
export function moved(index: number, key: string, slots: number): number | undefined {
  if (key === "Home") return 0;
  if (key === "End") return slots - 1;
  const step = STEPS[key];
  if (step === undefined) return undefined;
  const target = index + step;
  const acrossEdge = Math.abs(step) === 1 && Math.floor(target / COLUMNS) !== Math.floor(index / COLUMNS);
  return target < 0 || target >= slots || acrossEdge ? index : target;
}

/** Returns a slot's place in words: "row 2, column 3". */
export function placeName(index: number): string {
  return `row ${Math.floor(index / COLUMNS) + 1}, column ${(index % COLUMNS) + 1}`;
}
