import { describe, expect, test } from "vitest";
import { claimPayload, overdue, type PendingClaim, RESEND_AFTER_MS, unanswered } from "../src/game/claims";
import { minutes } from "../src/game/clock";
import { positionName, slotAfterKey } from "../src/game/grid";
import { stillOnBoard, toggle } from "../src/game/selection";
import { Op } from "../src/protocol/vocabulary";
import { invalidClaim, snapshot } from "./examples";

const CLAIM: PendingClaim = { claimId: "bob-3000", cardIds: [41, 71, 72], seat: 1, sentMs: 1000 };

describe("selection", () => {
  test("a touch selects or deselects a card", () => {
    expect(toggle([], 4)).toEqual([4]);
    expect(toggle([4, 7], 4)).toEqual([7]);
    expect(toggle([4, 7], 9)).toEqual([4, 7, 9]);
  });

  test("a fourth card is not selected", () => {
    expect(toggle([4, 7, 9], 11)).toEqual([4, 7, 9]);
  });

  test("a card that left the board is deselected", () => {
    expect(stillOnBoard([4, 7], [4, null, 9])).toEqual([4]);
    const all = [4, 9];
    expect(stillOnBoard(all, [4, 7, 9])).toBe(all);
  });
});

describe("claims in flight", () => {
  test("a result or a rejection answers only its own claim", () => {
    const other = { ...CLAIM, claimId: "bob-3001" };
    expect(unanswered([CLAIM, other], invalidClaim())).toEqual([other]);
    const rejected = {
      op: Op.CLAIM_REJECTED,
      body: { claimId: "bob-3001", reason: "CLAIM_REASON_DUPLICATE", opCode: Op.CLAIM, message: "" },
    } as const;
    expect(unanswered([CLAIM, other], rejected)).toEqual([CLAIM]);
    expect(unanswered([CLAIM], snapshot())).toEqual([CLAIM]);
  });

  test("an unanswered claim is overdue after a delay", () => {
    expect(overdue([CLAIM], 1000 + RESEND_AFTER_MS - 1)).toEqual([]);
    expect(overdue([CLAIM], 1000 + RESEND_AFTER_MS)).toEqual([CLAIM]);
  });

  test("a claim contains the seat only for several seats", () => {
    expect(JSON.parse(claimPayload(CLAIM, 1))).toEqual({ claimId: "bob-3000", cardIds: [41, 71, 72] });
    expect(JSON.parse(claimPayload(CLAIM, 2))).toHaveProperty("seat", 1);
  });
});

describe("keyboard navigation", () => {
  test.each([
    ["ArrowRight", 5, 6],
    ["ArrowLeft", 5, 4],
    ["ArrowUp", 5, 1],
    ["ArrowDown", 5, 9],
    ["Home", 5, 0],
    ["End", 5, 14],
  ])("%s moves from slot %i to %i", (key, from, to) => {
    expect(slotAfterKey(from, key, 15)).toBe(to);
  });

  test.each([
    ["ArrowRight", 3],
    ["ArrowLeft", 4],
    ["ArrowUp", 2],
    ["ArrowDown", 11],
    ["ArrowRight", 14],
  ])("%s stays at slot %i on the edge", (key, from) => {
    expect(slotAfterKey(from, key, 15)).toBe(from);
  });

  test("other keys do not move the focus", () => {
    expect(slotAfterKey(5, "a", 15)).toBeUndefined();
  });

  test("positions are numbered from one", () => {
    expect(positionName(0)).toBe("row 1, column 1");
    expect(positionName(14)).toBe("row 4, column 3");
  });
});

test.each([
  [0, "0:00"],
  [1, "0:01"],
  [59_001, "1:00"],
  [600_000, "10:00"],
  [-5, "0:00"],
])("%i ms are shown as %s", (remainingMs, text) => {
  expect(minutes(remainingMs)).toBe(text);
});
