import { expect, test } from "vitest";
import { dayOf, leaderboardOf, lineOf, shareText, withOwn } from "../src/game/daily";

const NOON = Date.UTC(2026, 11, 1, 12);
const DAY_MS = 86_400_000;

test("each UTC day has its own leaderboard", () => {
  expect(leaderboardOf(dayOf(NOON))).toBe("set_daily_20261201");
  expect(leaderboardOf(dayOf(NOON, 1))).toBe("set_daily_20261130");
});

test("the subscore contains the duration", () => {
  const subscore = 24 * DAY_MS + (DAY_MS - 26_000);
  const line = lineOf({ owner_id: "ann", username: "Ann", rank: 2, score: 24, subscore });
  expect(line).toEqual({ userId: "ann", name: "Ann", place: 2, sets: 24, durationMs: 26_000 });
});

test("the own line follows the best lines only if it is not one of them", () => {
  const [ann, bob] = ["ann", "bob"].map((owner_id) => lineOf({ owner_id }));
  if (ann === undefined || bob === undefined) throw new Error("no line");
  expect(withOwn([ann], bob)).toEqual([ann, bob]);
  expect(withOwn([ann, bob], bob)).toEqual([ann, bob]);
  expect(withOwn([ann], null)).toEqual([ann]);
});

test("the text to share has the result and the link", () => {
  expect(shareText("2026-12-01", 1, 65_000, 3, "L")).toBe(
    "SET, deck of 2026-12-01: 1 Set in 1:05, place 3\nL",
  );
  expect(shareText("2026-12-01", 2, 65_000, 0, "L")).toBe("SET, deck of 2026-12-01: 2 Sets in 1:05\nL");
});
