import { describe, expect, test } from "vitest";
import { type ConnectionState, FIRST_DELAY_MS, JOINING, LONGEST_DELAY_MS, next } from "../src/net/connection";

const NO_JITTER = 0.5;
const RECONNECT_WINDOW_MS = 30_000;

function delayOf(state: ConnectionState): number {
  return state.at === "waiting" ? state.delayMs : Number.NaN;
}

/** Returns the delays of a client whose attempts all fail. */
function delaysOf(count: number, random = NO_JITTER): number[] {
  const delays: number[] = [];
  let state: ConnectionState = next({ at: "joined" }, { kind: "lost" }, random);
  for (let i = 0; i < count; i += 1) {
    delays.push(delayOf(state));
    state = next(next(state, { kind: "retry" }, random), { kind: "rejected", reason: "no server" }, random);
  }
  return delays;
}

describe("the connection to a match", () => {
  test("retries after growing delays up to a limit", () => {
    expect(delaysOf(8)).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000, 4000]);
  });

  test("makes many attempts within a reconnect window", () => {
    const totalMs = delaysOf(8, 1).reduce((sum, delay) => sum + delay, 0);
    expect(totalMs).toBeLessThan(RECONNECT_WINDOW_MS);
  });

  test("adds jitter to the delays", () => {
    expect(delaysOf(1, 0)[0]).toBeLessThan(FIRST_DELAY_MS);
    expect(delaysOf(1, 1)[0]).toBeGreaterThan(FIRST_DELAY_MS);
    expect(Math.max(...delaysOf(9, 1))).toBeLessThanOrEqual(LONGEST_DELAY_MS * 1.25);
  });

  test("starts with the shortest delay again after a join", () => {
    const failing: ConnectionState = { at: "joining", attempt: 6 };
    const joined = next(failing, { kind: "joined" }, NO_JITTER);
    expect(delayOf(next(joined, { kind: "lost" }, NO_JITTER))).toBe(FIRST_DELAY_MS);
  });

  test("retries during an outage of the rules service", () => {
    const state = next(
      JOINING,
      { kind: "rejected", reason: "rules service unavailable, try again" },
      NO_JITTER,
    );
    expect(state.at).toBe("waiting");
  });

  test.each([
    "match full",
    "match already started",
    "match over",
    "Match not found",
    "invitation needed",
    "removed from this match",
  ])("stops after the rejection %s", (reason) => {
    const over = next(JOINING, { kind: "rejected", reason }, NO_JITTER);
    expect(over).toEqual({ at: "over", reason });
    expect(next(over, { kind: "retry" }, NO_JITTER)).toBe(over);
  });
});
