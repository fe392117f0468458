/** What the lobby asks for, and the match options that this means (docs/protocol.md, "Options"). */

export type Way = "find" | "friends" | "bots" | "daily" | "pass";
export type BotChoice = "EASY" | "MEDIUM" | "HARD";
export type PenaltyChoice = "NONE" | "POINT" | "TIME";

/** The lobby's form; times in seconds, 0 for untimed. */
export interface Wishes {
  readonly timeLimitSeconds: number;
  readonly penalty: PenaltyChoice;
  readonly players: number;
  readonly bots: number;
  readonly level: BotChoice;
  readonly names: readonly string[];
}

export const DEFAULT_WISHES: Wishes = {
  timeLimitSeconds: 0,
  penalty: "NONE",
  players: 2,
  bots: 1,
  level: "EASY",
  names: ["Ann", "Bob"],
};

export const NAME_LENGTH = 20;

/**
 * Returns the options for a way to play. A time penalty needs a time limit: without one it costs nothing. The daily
 * challenge has the default options: others are not ranked.
 */
export function optionsFor(way: Way, wishes: Wishes): Record<string, unknown> {
  return way === "daily" ? { mode: "DAILY_CHALLENGE" } : { ...rules(wishes), ...kind(way, wishes) };
}

function rules({ timeLimitSeconds, penalty }: Wishes): Record<string, unknown> {
  return { timeLimitSeconds, penalty: penalty === "TIME" && timeLimitSeconds === 0 ? "NONE" : penalty };
}

function kind(way: Exclude<Way, "daily">, wishes: Wishes): Record<string, unknown> {
  switch (way) {
    case "find":
      return { mode: "ONLINE" };
    case "friends":
      return { mode: "ONLINE", private: true, maxPlayers: wishes.players, minPlayers: 2 };
    case "bots":
      return { mode: "SINGLE_PLAYER", hints: true, bots: Array(wishes.bots).fill({ level: wishes.level }) };
    case "pass":
      return { mode: "PASS_AND_PLAY", localPlayers: distinct(wishes.names) };
  }
}

/** Returns the names, trimmed, none empty and no two the same: the match wants them so. */
export function distinct(names: readonly string[]): string[] {
  const taken: string[] = [];
  names.forEach((name, place) => {
    const wanted = name.trim().slice(0, NAME_LENGTH) || `Player ${place + 1}`;
    taken.push(firstFree(wanted, taken));
  });
  return taken;
}

function firstFree(wanted: string, taken: readonly string[]): string {
  let name = wanted;
  for (let count = 2; taken.includes(name); count += 1) name = `${wanted} ${count}`;
  return name;
}

/** Returns a name that Nakama takes as a username: no spaces, not empty. */
export function asUsername(name: string): string {
  return name.trim().replace(/\s+/g, "_").slice(0, NAME_LENGTH);
}
