/** Reading what a match sends. */

import type { Message } from "./messages";
import { Op } from "./vocabulary";

/** One field of each message that it cannot do without: what tells it from something else. */
const REQUIRED: Readonly<Record<Message["op"], string>> = {
  [Op.SNAPSHOT]: "yourSeats",
  [Op.MATCH_STARTED]: "players",
  [Op.CLAIM_RESULT]: "claimId",
  [Op.CLAIM_REJECTED]: "reason",
  [Op.BOARD_EXPANDED]: "slots",
  [Op.PLAYER_CHANGED]: "change",
  [Op.MATCH_ENDED]: "standings",
  [Op.HINT_RESULT]: "cardIds",
  [Op.SERVICE_STATUS]: "paused",
  [Op.FILL_TIME]: "fillDeadlineMs",
};

/** Returns the message, or undefined for what this page does not know or cannot read: a `SYNC` mends both. */
export function readMessage(op: number, text: string): Message | undefined {
  const required = REQUIRED[op as Message["op"]];
  const body = required === undefined ? undefined : parse(text);
  return body !== undefined && required !== undefined && required in body
    ? ({ op, body } as unknown as Message)
    : undefined;
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
