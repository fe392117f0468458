import { describe, expect, test } from "vitest";
import { hashOf, isOnlyHere, matchOf } from "../src/app/address";
import { apply } from "../src/game/apply";
import { nameOf, tell } from "../src/game/narration";
import { asUsername, DEFAULT_WISHES, distinct, optionsFor } from "../src/game/options";
import type { Table } from "../src/game/table";
import { ended, expanded, invalidClaim, playerChanged, snapshot, started, validClaim } from "./examples";

const MATCH = "3f2b8a90-0000-4000-8000-000000000001.nakama1";

function tableOf(yourSeats: number[]): Table {
  return apply(null, snapshot({ ...started().body, yourSeats }), 0) as Table;
}

describe("what happens is told", () => {
  const mine = tableOf([0]);

  test("a Set with its cards and where the new ones lie", () => {
    const news = tell(validClaim(), mine);
    expect(news?.text).toBe("You: Set!");
    expect(news?.spoken).toContain("New at row 1, column 1");
    expect(news?.spoken.match(/;/g)?.length).toBeGreaterThanOrEqual(4);
    expect(news?.tone).toBe("good");
  });

  test("a mistake with its reason", () => {
    expect(tell(invalidClaim(), mine)?.text).toBe("Bob: Number is mixed");
  });

  test("an expansion with its cards", () => {
    expect(tell(expanded(), mine)?.spoken).toContain("row 4, column 1");
  });

  test("the end with its reason, and who comes and goes", () => {
    expect(tell(ended(), mine)?.text).toContain("No Set is left");
    expect(tell(playerChanged(), mine)?.text).toBe("Ann sits down.");
  });

  test("a snapshot is no news", () => {
    expect(tell(snapshot(), mine)).toBeUndefined();
  });

  test("you are You only where the seat is yours alone", () => {
    expect(nameOf(mine, 0)).toBe("You");
    expect(nameOf(mine, 1)).toBe("Bob");
    expect(nameOf(tableOf([0, 1]), 0)).toBe("Ann");
    expect(nameOf(tableOf([]), 0)).toBe("Ann");
  });
});

describe("the lobby's wishes", () => {
  const timed = { ...DEFAULT_WISHES, timeLimitSeconds: 300, penalty: "TIME" as const };

  test.each([
    ["find", { mode: "ONLINE" }],
    ["friends", { mode: "ONLINE", private: true, maxPlayers: 2, minPlayers: 2 }],
    ["bots", { mode: "SINGLE_PLAYER", hints: true, bots: [{ level: "EASY" }] }],
    ["pass", { mode: "PASS_AND_PLAY", localPlayers: ["Ann", "Bob"] }],
  ] as const)("%s becomes match options", (way, kind) => {
    expect(optionsFor(way, timed)).toEqual({ timeLimitSeconds: 300, penalty: "TIME", ...kind });
  });

  test("the daily challenge is played in its ranked configuration", () => {
    expect(optionsFor("daily", timed)).toEqual({ mode: "DAILY_CHALLENGE" });
  });

  test("a time penalty without a time limit costs nothing", () => {
    expect(optionsFor("find", { ...timed, timeLimitSeconds: 0 })).toHaveProperty("penalty", "NONE");
  });

  test("names at one screen are made different and not empty", () => {
    expect(distinct(["Ann", " Ann ", ""])).toEqual(["Ann", "Ann 2", "Player 3"]);
    expect(distinct(["Ann", "Ann 2", "Ann"])).toEqual(["Ann", "Ann 2", "Ann 3"]);
  });

  test("a username has no spaces and an end", () => {
    expect(asUsername("  Ada  Lovelace ")).toBe("Ada_Lovelace");
    expect(asUsername("x".repeat(99)).length).toBe(20);
    expect(asUsername(" ")).toBe("");
  });
});

describe("links to a match", () => {
  test("lead back to it", () => {
    expect(matchOf(hashOf(MATCH))).toBe(MATCH);
  });

  test.each(["", "#", "#/match/", "#/match/../../x", "#/match/<script>", `#/match/${MATCH}?x`])(
    "%s is none",
    (hash) => {
      expect(matchOf(hash)).toBe("");
    },
  );

  test("loopback addresses are for this computer only", () => {
    expect(["127.0.0.1", "localhost", "[::1]"].every(isOnlyHere)).toBe(true);
    expect(isOnlyHere("192.168.1.20")).toBe(false);
  });
});
