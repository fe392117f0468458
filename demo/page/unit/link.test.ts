import { describe, expect, test } from "vitest";
import { FIRST_DELAY_MS, isFinal, JOINING, type Link, LONGEST_DELAY_MS, next } from "../src/net/link";

const MIDDLE = 0.5;
const RECONNECT_WINDOW_MS = 30_000;

function delayOf(link: Link): number {
  return link.at === "waiting" ? link.delayMs : Number.NaN;
}

/** The waits of somebody whose every try fails. */
function waits(count: number, chance = MIDDLE): number[] {
  const delays: number[] = [];
  let link: Link = next({ at: "joined" }, { kind: "lost" }, chance);
  for (let i = 0; i < count; i += 1) {
    delays.push(delayOf(link));
    link = next(next(link, { kind: "due" }, chance), { kind: "refused", reason: "no server" }, chance);
  }
  return delays;
}

describe("holding on to a match", () => {
  test("a lost connection is tried again soon, then ever less often up to a limit", () => {
    expect(waits(8)).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000, 4000]);
  });

  test("within a reconnect window there are many tries", () => {
    const spent = waits(8, 1).reduce((sum, delay) => sum + delay, 0);
    expect(spent).toBeLessThan(RECONNECT_WINDOW_MS);
  });

  test("chance spreads the tries of many", () => {
    expect(waits(1, 0)[0]).toBeLessThan(FIRST_DELAY_MS);
    expect(waits(1, 1)[0]).toBeGreaterThan(FIRST_DELAY_MS);
    expect(Math.max(...waits(9, 1))).toBeLessThanOrEqual(LONGEST_DELAY_MS * 1.25);
  });

  test("once joined, the next loss begins at the shortest wait again", () => {
    const tired: Link = { at: "joining", attempt: 6 };
    const joined = next(tired, { kind: "joined" }, MIDDLE);
    expect(delayOf(next(joined, { kind: "lost" }, MIDDLE))).toBe(FIRST_DELAY_MS);
  });

  test("a referee who is away is waited for", () => {
    const link = next(JOINING, { kind: "refused", reason: "rules service unavailable, try again" }, MIDDLE);
    expect(link.at).toBe("waiting");
  });

  test.each(["match full", "match already started", "match over", "Match not found"])(
    "%s is final",
    (reason) => {
      const over = next(JOINING, { kind: "refused", reason }, MIDDLE);
      expect(over).toEqual({ at: "over", why: reason });
      expect(next(over, { kind: "due" }, MIDDLE)).toBe(over);
      expect(isFinal(reason)).toBe(true);
    },
  );
});
