import { useEffect, useReducer } from "preact/hooks";
import { matchNow } from "../game/clock";
import type { MatchModel } from "../game/match";
import { nextChangeMs } from "../game/shown";

const CLOCK_INTERVAL_MS = 250;

/** Returns the match time, and renders again at each change of the board without a message and for the clocks. */
export function useMatchNow(match: MatchModel): number {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const nowMs = matchNow(match.clock, performance.now());
  useEffect(() => {
    const nextMs = match.clock.running ? nextChangeMs(match, nowMs) : undefined;
    const delayMs = Math.min(CLOCK_INTERVAL_MS, nextMs === undefined ? CLOCK_INTERVAL_MS : nextMs - nowMs);
    const timer = setTimeout(() => render(undefined), delayMs);
    return () => clearTimeout(timer);
  });
  return nowMs;
}
