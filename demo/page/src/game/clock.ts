/** The match clock as this client knows it: it runs by itself and stands still while the referee is away. */

export interface MatchClock {
  /** Match time at the moment of `localMs`. */
  readonly matchMs: number;
  /** This client's monotonic time at which that was so. */
  readonly localMs: number;
  readonly running: boolean;
}

/** Returns a running clock that shows `matchMs` at the client's time `localMs`. */
export function clockAt(matchMs: number, localMs: number): MatchClock {
  return { matchMs, localMs, running: true };
}

/** Returns the match time at the client's time `localMs`. */
export function matchNow(clock: MatchClock, localMs: number): number {
  return clock.running ? clock.matchMs + Math.max(0, localMs - clock.localMs) : clock.matchMs;
}

/** Returns the clock stopped, or running again from where it stood. */
export function setRunning(clock: MatchClock, running: boolean, localMs: number): MatchClock {
  return { matchMs: matchNow(clock, localMs), localMs, running };
}

/** Returns a time left as people read it: "0:07", "12:30". Parts of a second count as a whole one. */
export function minutes(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
