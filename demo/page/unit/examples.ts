/** Example messages of docs/protocol.md. */

import protocol from "../../../docs/protocol.md?raw";
import type { Message } from "../src/protocol/messages";
import { readMessage } from "../src/protocol/read";
import { Op } from "../src/protocol/vocabulary";

const BLOCK = /<!-- example: (\w+) -->\n```json\n([\s\S]*?)\n```/g;

export const EXAMPLES: ReadonlyMap<string, string> = new Map(
  [...protocol.matchAll(BLOCK)].map(([, name = "", json = ""]) => [name, json]),
);

/** Returns an example message after `readMessage`. `change` replaces fields. */
export function example<O extends Message["op"]>(
  name: string,
  op: O,
  change: object = {},
): Extract<Message, { op: O }> {
  const text = JSON.stringify({ ...JSON.parse(EXAMPLES.get(name) ?? ""), ...change });
  const message = readMessage(op, text);
  if (message === undefined) throw new Error(`${name} is not readable`);
  return message as Extract<Message, { op: O }>;
}

export const snapshot = (change: object = {}) => example("SNAPSHOT", Op.SNAPSHOT, change);
export const started = (change: object = {}) => example("MATCH_STARTED", Op.MATCH_STARTED, change);
export const validClaim = (change: object = {}) => example("CLAIM_RESULT_valid", Op.CLAIM_RESULT, change);
export const invalidClaim = (change: object = {}) => example("CLAIM_RESULT_invalid", Op.CLAIM_RESULT, change);
export const expanded = (change: object = {}) => example("BOARD_EXPANDED", Op.BOARD_EXPANDED, change);
export const ended = (change: object = {}) => example("MATCH_ENDED", Op.MATCH_ENDED, change);
export const playerChanged = (change: object = {}) => example("PLAYER_CHANGED", Op.PLAYER_CHANGED, change);
