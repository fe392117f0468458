import { describe, expect, test } from "vitest";
import { hashOf, isLoopback, matchOf } from "../src/app/address";
import { apply } from "../src/game/apply";
import type { MatchModel } from "../src/game/match";
import { eventOf, nameOf } from "../src/game/narration";
import { asUsername, DEFAULT_PREFERENCES, distinct, optionsFor } from "../src/game/options";
import { ended, expanded, invalidClaim, playerChanged, snapshot, started, validClaim } from "./examples";

const MATCH = "3f2b8a90-0000-4000-8000-000000000001.nakama1";

function modelOf(yourSeats: number[]): MatchModel {
  return apply(null, snapshot({ ...started().body, yourSeats }), 0) as MatchModel;
}

describe("event texts", () => {
  const mine = modelOf([0]);

  test("a Set has its cards and the new cards", () => {
    const event = eventOf(validClaim(), mine);
    expect(event?.text).toBe("You: Set!");
    expect(event?.spoken).toContain("New at row 1, column 1");
    expect(event?.spoken.match(/;/g)?.length).toBeGreaterThanOrEqual(4);
    expect(event?.tone).toBe("good");
  });

  test("an invalid claim has its reason", () => {
    expect(eventOf(invalidClaim(), mine)?.text).toBe("\u2068Bob\u2069: Number is mixed");
  });

  test("an expansion has its cards", () => {
    expect(eventOf(expanded(), mine)?.spoken).toContain("row 4, column 1");
  });

  test("the end has its reason, a join the player", () => {
    expect(eventOf(ended(), mine)?.text).toContain("No Set is left");
    expect(eventOf(playerChanged(), mine)?.text).toBe("\u2068Ann\u2069 joined.");
  });

  test("a snapshot is not an event", () => {
    expect(eventOf(snapshot(), mine)).toBeUndefined();
  });

  test("the only player of the connection is called You", () => {
    expect(nameOf(mine, 0)).toBe("You");
    expect(nameOf(mine, 1)).toBe("\u2068Bob\u2069");
    expect(nameOf(modelOf([0, 1]), 0)).toBe("\u2068Ann\u2069");
    expect(nameOf(modelOf([]), 0)).toBe("\u2068Ann\u2069");
  });
});

describe("the choices of the lobby", () => {
  const rules = { timeLimitSeconds: 300, penalty: "TIME" as const };
  const timed = { ...DEFAULT_PREFERENCES, rules: { find: rules, friends: rules, bots: rules, pass: rules } };

  test.each([
    ["find", { mode: "ONLINE" }],
    ["friends", { mode: "ONLINE", private: true, maxPlayers: 2, minPlayers: 2 }],
    ["bots", { mode: "SINGLE_PLAYER", hints: true, bots: [{ level: "EASY" }] }],
    ["pass", { mode: "PASS_AND_PLAY", localPlayers: ["Ann", "Bob"] }],
  ] as const)("%s becomes match options", (way, kind) => {
    expect(optionsFor(way, timed)).toEqual({
      claimOrder: "ARRIVAL",
      timeLimitSeconds: 300,
      penalty: "TIME",
      ...kind,
    });
  });

  test("the daily challenge uses the default options", () => {
    expect(optionsFor("daily", timed)).toEqual({ mode: "DAILY_CHALLENGE" });
  });

  test("a time penalty without a time limit is no penalty", () => {
    const unlimited = { ...timed, rules: { ...timed.rules, find: { ...rules, timeLimitSeconds: 0 } } };
    expect(optionsFor("find", unlimited)).toHaveProperty("penalty", "NONE");
    expect(optionsFor("bots", unlimited)).toHaveProperty("penalty", "TIME");
  });

  test("names of local players are different and not empty", () => {
    expect(distinct(["Ann", " Ann ", ""])).toEqual(["Ann", "Ann 2", "Player 3"]);
    expect(distinct(["Ann", "Ann 2", "Ann"])).toEqual(["Ann", "Ann 2", "Ann 3"]);
  });

  test("a username has no spaces and a maximum length", () => {
    expect(asUsername("  Ada  Lovelace ")).toBe("Ada_Lovelace");
    expect(asUsername("x".repeat(99)).length).toBe(20);
    expect(asUsername(" ")).toBe("");
  });
});

describe("links to a match", () => {
  test("contain the match id", () => {
    expect(matchOf(hashOf(MATCH))).toBe(MATCH);
  });

  test.each(["", "#", "#/match/", "#/match/../../x", "#/match/<script>", `#/match/${MATCH}?x`])(
    "%s is not a match link",
    (hash) => {
      expect(matchOf(hash)).toBe("");
    },
  );

  test("loopback addresses are detected", () => {
    expect(["127.0.0.1", "localhost", "[::1]"].every(isLoopback)).toBe(true);
    expect(isLoopback("192.168.1.20")).toBe(false);
  });
});
