/** Claims in flight: sent again under the same claim id until they are answered, so that each is judged once. */

import type { Message } from "../protocol/messages";
import { Op } from "../protocol/vocabulary";

/** Delay before an unanswered claim is sent again, in milliseconds. */
export const RESEND_AFTER_MS = 3000;

export interface PendingClaim {
  readonly claimId: string;
  readonly cardIds: readonly number[];
  readonly seat: number;
  readonly sentMs: number;
}

/** Returns the claims that a message does not answer. */
export function unanswered(pending: readonly PendingClaim[], message: Message): readonly PendingClaim[] {
  if (message.op !== Op.CLAIM_RESULT && message.op !== Op.CLAIM_REJECTED) return pending;
  return pending.filter((claim) => claim.claimId !== message.body.claimId);
}

/** Returns the claims to send again at the local time `localMs`. */
export function overdue(pending: readonly PendingClaim[], localMs: number): readonly PendingClaim[] {
  return pending.filter((claim) => localMs - claim.sentMs >= RESEND_AFTER_MS);
}

/** Returns the payload of a claim. It contains the seat only if the connection has several seats. */
export function claimPayload(claim: PendingClaim, seatCount: number): string {
  const { claimId, cardIds, seat } = claim;
  return JSON.stringify(seatCount > 1 ? { claimId, cardIds, seat } : { claimId, cardIds });
}
