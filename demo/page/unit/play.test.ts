import { describe, expect, test } from "vitest";
import { ANSWER_WITHIN_MS, claimPayload, overdue, type PendingClaim, unanswered } from "../src/game/claims";
import { minutes } from "../src/game/clock";
import { moved, placeName } from "../src/game/grid";
import { stillThere, toggle } from "../src/game/selection";
import { Op } from "../src/protocol/vocabulary";
import { invalidClaim, snapshot } from "./examples";

const CLAIM: PendingClaim = { claimId: "bob-3000", cardIds: [41, 71, 72], seat: 1, sentMs: 1000 };

describe("choosing", () => {
  test("a touch selects, another lets go, the third completes", () => {
    expect(toggle([], 4)).toEqual([4]);
    expect(toggle([4, 7], 4)).toEqual([7]);
    expect(toggle([4, 7], 9)).toEqual([4, 7, 9]);
  });

  test("there is never a fourth", () => {
    expect(toggle([4, 7, 9], 11)).toEqual([4, 7, 9]);
  });

  test("a card that has left the board is let go", () => {
    expect(stillThere([4, 7], [4, null, 9])).toEqual([4]);
    const all = [4, 9];
    expect(stillThere(all, [4, 7, 9])).toBe(all);
  });
});

describe("claims on their way", () => {
  test("an answer of either kind settles its claim and no other", () => {
    const other = { ...CLAIM, claimId: "bob-3001" };
    expect(unanswered([CLAIM, other], invalidClaim())).toEqual([other]);
    const rejected = {
      op: Op.CLAIM_REJECTED,
      body: { claimId: "bob-3001", reason: "CLAIM_REASON_DUPLICATE", opCode: Op.CLAIM, message: "" },
    } as const;
    expect(unanswered([CLAIM, other], rejected)).toEqual([CLAIM]);
    expect(unanswered([CLAIM], snapshot())).toEqual([CLAIM]);
  });

  test("one without an answer is due again after a while", () => {
    expect(overdue([CLAIM], 1000 + ANSWER_WITHIN_MS - 1)).toEqual([]);
    expect(overdue([CLAIM], 1000 + ANSWER_WITHIN_MS)).toEqual([CLAIM]);
  });

  test("the seat is said only where the connection holds several", () => {
    expect(JSON.parse(claimPayload(CLAIM, 1))).toEqual({ claimId: "bob-3000", cardIds: [41, 71, 72] });
    expect(JSON.parse(claimPayload(CLAIM, 2))).toHaveProperty("seat", 1);
  });
});

describe("moving over the board", () => {
  test.each([
    ["ArrowRight", 5, 6],
    ["ArrowLeft", 5, 4],
    ["ArrowUp", 5, 1],
    ["ArrowDown", 5, 9],
    ["Home", 5, 0],
    ["End", 5, 14],
  ])("%s from slot %i goes to %i", (key, from, to) => {
    expect(moved(from, key, 15)).toBe(to);
  });

  test.each([
    ["ArrowRight", 3],
    ["ArrowLeft", 4],
    ["ArrowUp", 2],
    ["ArrowDown", 11],
    ["ArrowRight", 14],
  ])("%s stays at slot %i, the edge", (key, from) => {
    expect(moved(from, key, 15)).toBe(from);
  });

  test("other keys do not move", () => {
    expect(moved(5, "a", 15)).toBeUndefined();
  });

  test("places are counted from one", () => {
    expect(placeName(0)).toBe("row 1, column 1");
    expect(placeName(14)).toBe("row 4, column 3");
  });
});

test.each([
  [0, "0:00"],
  [1, "0:01"],
  [59_001, "1:00"],
  [600_000, "10:00"],
  [-5, "0:00"],
])("%i ms left read %s", (leftMs, text) => {
  expect(minutes(leftMs)).toBe(text);
});
