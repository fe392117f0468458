import { expect, test } from "vitest";
import { readMessage } from "../src/protocol/read";
import { Op } from "../src/protocol/vocabulary";
import { EXAMPLES } from "./examples";

const TO_CLIENTS: [string, number][] = [
  ["SNAPSHOT", Op.SNAPSHOT],
  ["MATCH_STARTED", Op.MATCH_STARTED],
  ["CLAIM_RESULT_valid", Op.CLAIM_RESULT],
  ["CLAIM_RESULT_invalid", Op.CLAIM_RESULT],
  ["CLAIM_REJECTED", Op.CLAIM_REJECTED],
  ["BOARD_EXPANDED", Op.BOARD_EXPANDED],
  ["PLAYER_CHANGED", Op.PLAYER_CHANGED],
  ["MATCH_ENDED", Op.MATCH_ENDED],
  ["HINT_RESULT", Op.HINT_RESULT],
  ["FILL_TIME", Op.FILL_TIME],
];

test.each(TO_CLIENTS)("the example %s is readable", (name, op) => {
  const text = EXAMPLES.get(name) ?? "";
  expect(readMessage(op, text)).toEqual({ op, body: JSON.parse(text) });
});

test.each([
  ["an unknown op", 999, "{}"],
  ["invalid JSON", Op.SNAPSHOT, "{"],
  ["a number", Op.SNAPSHOT, "3"],
  ["null", Op.SNAPSHOT, "null"],
  ["another message's fields", Op.SNAPSHOT, '{"paused": true}'],
])("%s is not a message", (_what, op, text) => {
  expect(readMessage(op, text)).toBeUndefined();
});
