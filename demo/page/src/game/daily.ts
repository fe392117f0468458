/** Ranking of the daily challenge: each UTC day has its own leaderboard (docs/decisions.md, E64). */

import { minutes } from "./clock";

const DAY_MS = 86_400_000;

/** Record of a daily leaderboard. The subscore contains the duration (docs/decisions.md, E23). */
export interface DailyRecord {
  readonly owner_id?: string;
  readonly username?: string;
  readonly rank?: number;
  readonly score?: number;
  readonly subscore?: number;
}

/** One line of a ranking. */
export interface DailyLine {
  readonly userId: string;
  readonly name: string;
  readonly place: number;
  readonly sets: number;
  readonly durationMs: number;
}

/** The result of this user on one day; `day` is its date, such as 2026-12-01. */
export interface DailyPast extends DailyLine {
  readonly day: string;
}

/** Returns the UTC date of a Unix time, such as 2026-12-01, `daysAgo` days earlier. */
export function dayOf(unixMs: number, daysAgo = 0): string {
  return new Date(unixMs - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the leaderboard of a day. */
export function leaderboardOf(day: string): string {
  return `set_daily_${day.replaceAll("-", "")}`;
}

export function lineOf(record: DailyRecord): DailyLine {
  const sets = Number(record.score ?? 0);
  return {
    userId: record.owner_id ?? "",
    name: record.username ?? "",
    place: Number(record.rank ?? 0),
    sets,
    durationMs: (sets + 1) * DAY_MS - Number(record.subscore ?? 0),
  };
}

/** Returns the best lines, with the line of this user at the end if it is not one of them. */
export function withOwn(best: readonly DailyLine[], own: DailyLine | null): readonly DailyLine[] {
  return own === null || best.some(({ userId }) => userId === own.userId) ? best : [...best, own];
}

/** Returns a number of Sets in words. */
export function setsText(sets: number): string {
  return `${sets} ${sets === 1 ? "Set" : "Sets"}`;
}

/** Returns a text about a result that reveals nothing about the deck. `place` is 0 if it is not known. */
export function shareText(
  day: string,
  sets: number,
  durationMs: number,
  place: number,
  link: string,
): string {
  const rank = place > 0 ? `, place ${place}` : "";
  return `SET, deck of ${day}: ${setsText(sets)} in ${minutes(durationMs)}${rank}\n${link}`;
}
