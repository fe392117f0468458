/** Parser for the messages of a match. */

import type { Message } from "./messages";
import { Op } from "./vocabulary";

/** A required field of each message, to detect other data. */
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

/** Returns the message, or undefined if it is unknown or malformed. The caller then sends `SYNC`. */
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
