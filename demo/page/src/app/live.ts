/** Finds a running match of this user on the server, for a browser that does not know the match id. */

import type { Nakama } from "../net/nakama";

/** Response of the RPC `set_resume`: the matches in which the caller has a seat. */
interface LiveMatches {
  readonly matches: readonly { readonly matchId: string }[];
}

/** Returns the id of a live match of the user, or empty: also if the server does not offer `set_resume`. */
export async function liveMatch(nakama: Nakama): Promise<string> {
  const live = await nakama.find<LiveMatches>("set_resume", {}).catch(() => null);
  return live?.matches[0]?.matchId ?? "";
}
