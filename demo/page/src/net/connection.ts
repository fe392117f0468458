/** State machine of the connection to a match: joins, rejoins after a failure, stops if the match rejects this client. */

export type ConnectionState =
  | { readonly at: "joining"; readonly attempt: number }
  | { readonly at: "joined" }
  | { readonly at: "waiting"; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  | { readonly at: "over"; readonly reason: string };

export type ConnectionEvent =
  | { readonly kind: "joined" }
  | { readonly kind: "lost" }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "retry" };

/** Shortest and longest delay between two attempts, in milliseconds: much shorter than a reconnect window. */
export const FIRST_DELAY_MS = 250;
export const LONGEST_DELAY_MS = 4000;
const JITTER = 0.25;

/** Parts of rejection messages after which another attempt cannot succeed. */
const FINAL = [
  "match full",
  "match already started",
  "match over",
  "not found",
  "invitation needed",
  "removed from",
];

export const JOINING: ConnectionState = { at: "joining", attempt: 0 };

/** Returns the state after an event. `random`, 0..1, spreads the attempts of many clients over time. */
export function next(state: ConnectionState, event: ConnectionEvent, random: number): ConnectionState {
  if (state.at === "over") return state;
  switch (event.kind) {
    case "joined":
      return { at: "joined" };
    case "retry":
      return { at: "joining", attempt: attemptOf(state) + 1 };
    case "lost":
      return waiting(state, "connection lost", random);
    case "rejected":
      return isFinal(event.reason)
        ? { at: "over", reason: event.reason }
        : waiting(state, event.reason, random);
  }
}

/** Returns whether another attempt after this rejection cannot succeed. */
function isFinal(reason: string): boolean {
  return FINAL.some((words) => reason.toLowerCase().includes(words));
}

function waiting(state: ConnectionState, reason: string, random: number): ConnectionState {
  const attempt = attemptOf(state);
  const plain = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return { at: "waiting", attempt, reason, delayMs: Math.round(plain * (1 + JITTER * (2 * random - 1))) };
}

function attemptOf(state: ConnectionState): number {
  return state.at === "joining" || state.at === "waiting" ? state.attempt : 0;
}
