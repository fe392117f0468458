/** Claims on their way: sent until answered, under one id, so that each is judged once. */

import type { Message } from "../protocol/messages";
import { Op } from "../protocol/vocabulary";

/** How long a claim waits for its answer before it is sent again, in milliseconds. */
export const ANSWER_WITHIN_MS = 3000;

export interface PendingClaim {
  readonly claimId: string;
  readonly cardIds: readonly number[];
  readonly seat: number;
  readonly sentMs: number;
}

/** Returns the claims that are still unanswered after a message. */
export function unanswered(pending: readonly PendingClaim[], message: Message): readonly PendingClaim[] {
  if (message.op !== Op.CLAIM_RESULT && message.op !== Op.CLAIM_REJECTED) return pending;
  return pending.filter((claim) => claim.claimId !== message.body.claimId);
}

/** Returns the claims to send again at the client's time `localMs`. */
export function overdue(pending: readonly PendingClaim[], localMs: number): readonly PendingClaim[] {
  return pending.filter((claim) => localMs - claim.sentMs >= ANSWER_WITHIN_MS);
}

/** Returns what a claim says on the wire; the seat only where the connection holds several. */
export function claimPayload(claim: PendingClaim, seatsHeld: number): string {
  const { claimId, cardIds, seat } = claim;
  return JSON.stringify(seatsHeld > 1 ? { claimId, cardIds, seat } : { claimId, cardIds });
}
