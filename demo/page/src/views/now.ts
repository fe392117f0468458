import { useEffect, useReducer } from "preact/hooks";
import { matchNow } from "../game/clock";
import { nextChangeMs } from "../game/shown";
import type { Table } from "../game/table";

const COUNTING_MS = 250;

/** Returns the match time, and renders again when the board changes by itself or a clock counts on. */
export function useMatchNow(table: Table): number {
  const [, again] = useReducer((count: number) => count + 1, 0);
  const nowMs = matchNow(table.clock, performance.now());
  useEffect(() => {
    const edge = table.clock.running ? nextChangeMs(table, nowMs) : undefined;
    const wait = Math.min(COUNTING_MS, edge === undefined ? COUNTING_MS : edge - nowMs);
    const timer = setTimeout(() => again(undefined), wait);
    return () => clearTimeout(timer);
  });
  return nowMs;
}
