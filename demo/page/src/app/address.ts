/**
 * Links to a match: `#/match/ID` after the page's own address, for a private match `#/match/ID/INVITATION`.
 *
 * Everywhere in the page, `matchId` is the part after `#/match/`: with the invitation, if there is one.
 */

const HASH = /^#\/match\/([0-9a-f-]{36}\.[\w.-]*(?:\/[0-9a-f]{32})?)$/;

/** Returns the match that an address's hash names, or empty. */
export function matchOf(hash: string): string {
  return HASH.exec(hash)?.[1] ?? "";
}

export function hashOf(matchId: string): string {
  return matchId === "" ? "" : `#/match/${matchId}`;
}

/** Returns the link that invites others to a match. */
export function inviteLink(matchId: string): string {
  return location.origin + location.pathname + location.search + hashOf(matchId);
}

/** Returns whether other devices cannot follow a link to this page. */
export function isOnlyHere(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

/** Shows the match in the address, so that the address itself can be shared, without a new page in the history. */
export function showMatch(matchId: string): void {
  history.replaceState(null, "", location.pathname + location.search + hashOf(matchId));
}
