/** Local copy of the match clock. It stops during an outage of the rules service. */

export interface MatchClock {
  /** Match time at the local time `localMs`. */
  readonly matchMs: number;
  /** Monotonic time of this client, in milliseconds. */
  readonly localMs: number;
  readonly running: boolean;
}

/** Returns a running clock with the match time `matchMs` at the local time `localMs`. */
export function clockAt(matchMs: number, localMs: number): MatchClock {
  return { matchMs, localMs, running: true };
}

/** Returns the match time at the local time `localMs`. */
export function matchNow(clock: MatchClock, localMs: number): number {
  return clock.running ? clock.matchMs + Math.max(0, localMs - clock.localMs) : clock.matchMs;
}

/** Returns the clock, stopped or running from its current match time. */
export function setRunning(clock: MatchClock, running: boolean, localMs: number): MatchClock {
  return { matchMs: matchNow(clock, localMs), localMs, running };
}

/** Formats a remaining time as minutes and seconds, rounded up: "0:07", "12:30". */
export function minutes(remainingMs: number): string {
  const seconds = Math.max(0, Math.ceil(remainingMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
