/** Choices of the lobby, and their match options (docs/protocol.md, "Options"). */

export type Way = "find" | "friends" | "bots" | "daily" | "pass";

/** The ways to play with a choice of rules. */
export type RuledWay = Exclude<Way, "daily">;
export type BotChoice = "EASY" | "MEDIUM" | "HARD";
export type PenaltyChoice = "NONE" | "POINT" | "TIME";

/** Rules of one way to play. A time limit of 0 means no limit. */
export interface Rules {
  readonly timeLimitSeconds: number;
  readonly penalty: PenaltyChoice;
}

/** Values of the lobby's forms. */
export interface Preferences {
  readonly rules: Readonly<Record<RuledWay, Rules>>;
  readonly players: number;
  readonly bots: number;
  readonly level: BotChoice;
  readonly names: readonly string[];
}

const FREE: Rules = { timeLimitSeconds: 0, penalty: "NONE" };

export const DEFAULT_PREFERENCES: Preferences = {
  rules: { find: FREE, friends: FREE, bots: FREE, pass: FREE },
  players: 2,
  bots: 1,
  level: "EASY",
  names: ["Ann", "Bob"],
};

export const NAME_LENGTH = 20;

/**
 * Returns the match options for a way to play. A time penalty without a time limit is replaced by no penalty. The
 * daily challenge has the default options, because games with other options are not ranked. All other matches judge
 * claims on arrival.
 */
export function optionsFor(way: Way, preferences: Preferences): Record<string, unknown> {
  if (way === "daily") return { mode: "DAILY_CHALLENGE" };
  return { claimOrder: "ARRIVAL", ...effective(preferences.rules[way]), ...kind(way, preferences) };
}

/** Returns the rules without a time penalty if there is no time limit. */
export function effective({ timeLimitSeconds, penalty }: Rules): Rules {
  return { timeLimitSeconds, penalty: penalty === "TIME" && timeLimitSeconds === 0 ? "NONE" : penalty };
}

function kind(way: RuledWay, preferences: Preferences): Record<string, unknown> {
  switch (way) {
    case "find":
      return { mode: "ONLINE" };
    case "friends":
      return { mode: "ONLINE", private: true, maxPlayers: preferences.players, minPlayers: 2 };
    case "bots":
      return {
        mode: "SINGLE_PLAYER",
        hints: true,
        bots: Array(preferences.bots).fill({ level: preferences.level }),
      };
    case "pass":
      return { mode: "PASS_AND_PLAY", localPlayers: distinct(preferences.names) };
  }
}

/** Returns the names trimmed, not empty and all different, because a match requires this for local players. */
export function distinct(names: readonly string[]): string[] {
  const taken: string[] = [];
  names.forEach((name, index) => {
    const wanted = name.trim().slice(0, NAME_LENGTH) || `Player ${index + 1}`;
    taken.push(firstFree(wanted, taken));
  });
  return taken;
}

function firstFree(wanted: string, taken: readonly string[]): string {
  let name = wanted;
  for (let count = 2; taken.includes(name); count += 1) name = `${wanted} ${count}`;
  return name;
}

/** Returns the name without spaces, as Nakama requires for usernames; empty if nothing is left. */
export function asUsername(name: string): string {
  return name.trim().replace(/\s+/g, "_").slice(0, NAME_LENGTH);
}
