/**
 * Links to a match: the address of the page with the hash `#/match/ID`, for a private match `#/match/ID/INVITATION`.
 *
 * The `matchId` of `AppState` is the part after `#/match/`, which includes the invitation if there is one.
 */

const HASH = /^#\/match\/([0-9a-f-]{36}\.[\w.-]*(?:\/[0-9a-f]{32})?)$/;

/** Returns the match id in the hash of an address, or empty. */
export function matchOf(hash: string): string {
  return HASH.exec(hash)?.[1] ?? "";
}

export function hashOf(matchId: string): string {
  return matchId === "" ? "" : `#/match/${matchId}`;
}

/** Returns the link for other players to join a match. */
export function inviteLink(matchId: string): string {
  return location.origin + location.pathname + location.search + hashOf(matchId);
}

/** Returns whether links to this page work on this computer only. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

/** Writes the match into the address, so that players can share the address. Adds no entry to the history. */
export function showMatch(matchId: string): void {
  history.replaceState(null, "", location.pathname + location.search + hashOf(matchId));
}
