/** How this client holds on to a match: joining, coming back by itself, giving up only when the match is gone. */

export type Link =
  | { readonly at: "joining"; readonly attempt: number }
  | { readonly at: "joined" }
  | { readonly at: "waiting"; readonly attempt: number; readonly delayMs: number; readonly why: string }
  | { readonly at: "over"; readonly why: string };

export type LinkEvent =
  | { readonly kind: "joined" }
  | { readonly kind: "lost" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "due" };

/** The first and the longest wait between two tries, in milliseconds: far below a reconnect window. */
export const FIRST_DELAY_MS = 250;
export const LONGEST_DELAY_MS = 4000;
const JITTER = 0.25;

/** What a match says to those whom it will never let in. */
const FINAL = [
  "match full",
  "match already started",
  "match over",
  "not found",
  "invitation needed",
  "removed from",
];

export const JOINING: Link = { at: "joining", attempt: 0 };

/** Returns the link after an event; `chance` in 0..1 spreads the tries of many clients. */
export function next(link: Link, event: LinkEvent, chance: number): Link {
  if (link.at === "over") return link;
  switch (event.kind) {
    case "joined":
      return { at: "joined" };
    case "due":
      return { at: "joining", attempt: attemptOf(link) + 1 };
    case "lost":
      return waiting(link, "The connection was lost.", chance);
    case "refused":
      return isFinal(event.reason) ? { at: "over", why: event.reason } : waiting(link, event.reason, chance);
  }
}

/** Returns whether a refusal can never turn into a welcome. */
export function isFinal(reason: string): boolean {
  return FINAL.some((words) => reason.toLowerCase().includes(words));
}

function waiting(link: Link, why: string, chance: number): Link {
  const attempt = attemptOf(link);
  const plain = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return { at: "waiting", attempt, why, delayMs: Math.round(plain * (1 + JITTER * (2 * chance - 1))) };
}

function attemptOf(link: Link): number {
  return link.at === "joining" || link.at === "waiting" ? link.attempt : 0;
}
