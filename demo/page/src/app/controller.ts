/** Controller of the current match: handles the player's input and the messages of the match. */

import { apply } from "../game/apply";
import { claimPayload, overdue, type PendingClaim, unanswered } from "../game/claims";
import { matchNow } from "../game/clock";
import { isLocked, isPlaying, type MatchModel } from "../game/match";
import { eventOf } from "../game/narration";
import { SET_SIZE, stillOnBoard, toggle } from "../game/selection";
import type { Nakama } from "../net/nakama";
import { MatchSocket } from "../net/socket";
import type { Message } from "../protocol/messages";
import { type ClaimReason, Op } from "../protocol/vocabulary";
import { showMatch } from "./address";
import { saveMatch } from "./memory";
import { RecordReader } from "./record";
import { type AppState, noMatch, withEvent } from "./state";
import type { Store } from "./store";

const RESEND_INTERVAL_MS = 1000;

const REJECTIONS: Partial<Readonly<Record<ClaimReason, string>>> = {
  CLAIM_REASON_LOCKED: "Too early: claims are locked for a moment.",
  CLAIM_REASON_SPECTATOR: "You are a spectator. Only players can claim a Set.",
  CLAIM_REASON_FORFEITED: "You are out of this game.",
  CLAIM_REASON_RATE_LIMITED: "Too many messages. Please slow down.",
  CLAIM_REASON_NOT_ALLOWED: "This is not possible now.",
};

function isOwnKick(message: Message, match: MatchModel | null): boolean {
  if (message.op !== Op.PLAYER_CHANGED || message.body.change !== "PLAYER_CHANGE_KICKED") return false;
  return match?.yourSeats.includes(message.body.player.seat) === true;
}

export class MatchController {
  private socket: MatchSocket | null = null;
  private claims = 0;
  private readonly records: RecordReader;

  constructor(
    private readonly store: Store<AppState>,
    private readonly nakama: Nakama,
    private readonly localNow: () => number = () => performance.now(),
  ) {
    this.records = new RecordReader(store, nakama);
    setInterval(() => this.requestMissing(), RESEND_INTERVAL_MS);
  }

  /** Corrects the clock after a sleep of the device: requests a snapshot, or connects again. */
  wake(): void {
    this.socket?.send(Op.SYNC);
    this.socket?.retryNow();
  }

  /** Joins a match and stays in it until `leave`. */
  join(matchId: string): void {
    saveMatch(matchId);
    showMatch(matchId);
    this.store.set({ ...noMatch(), matchId, invitation: "", rejoin: "", problem: "" });
    this.socket = new MatchSocket(this.nakama, matchId, {
      onMessage: (message) => this.receive(message),
      onConnection: (connection) => this.store.set({ connection }),
    });
  }

  /** Leaves the match and shows the lobby. In a running game the player forfeits. */
  leave(): void {
    void this.socket?.leave();
    this.socket = null;
    saveMatch("");
    showMatch("");
    this.store.set(noMatch());
  }

  retryNow(): void {
    this.socket?.retryNow();
  }

  ready(): void {
    this.socket?.send(Op.READY);
  }

  /** Requests a longer fill time. */
  extend(): void {
    this.socket?.send(Op.EXTEND);
  }

  /** Removes a user before the start. The match accepts this from its creator only. */
  kick(userId: string): void {
    this.socket?.send(Op.KICK, JSON.stringify({ userId }));
  }

  rematch(): void {
    this.socket?.send(Op.REMATCH);
  }

  hint(): void {
    this.socket?.send(Op.HINT);
  }

  /** Selects or deselects a card. The third selected card sends the claim, except of local players. */
  touch(cardId: number): void {
    const { match, selected } = this.store.get();
    if (match === null || !this.canSelect(match)) return;
    const selection = toggle(selected, cardId);
    const [seat, ...otherSeats] = match.yourSeats;
    const submits = selection.length === SET_SIZE && seat !== undefined && otherSeats.length === 0;
    if (!submits) this.store.set({ selected: selection });
    else if (!this.isLocked(match, seat)) this.claim(seat, selection);
  }

  deselect(): void {
    if (this.store.get().pending.length === 0) this.store.set({ selected: [] });
  }

  /** Claims the three selected cards for a local player, who tapped the own claim zone. */
  claimFor(seat: number): void {
    const { match, selected } = this.store.get();
    if (match === null || !this.canSelect(match) || !match.yourSeats.includes(seat)) return;
    if (selected.length === SET_SIZE && !this.isLocked(match, seat)) this.claim(seat, selected);
  }

  /** Returns whether this connection plays and no claim is in flight. */
  private canSelect(match: MatchModel): boolean {
    return isPlaying(match) && match.yourSeats.length > 0 && this.store.get().pending.length === 0;
  }

  private isLocked(match: MatchModel, seat: number): boolean {
    return isLocked(match, seat, matchNow(match.clock, this.localNow()));
  }

  private claim(seat: number, cardIds: readonly number[]): void {
    this.claims += 1;
    const claimId = `${Date.now().toString(36)}-${this.claims}`;
    const claim: PendingClaim = { claimId, cardIds, seat, sentMs: this.localNow() };
    this.store.set({ selected: cardIds, pending: [...this.store.get().pending, claim], hint: [] });
    this.sendClaims([claim]);
  }

  private sendClaims(claims: readonly PendingClaim[]): void {
    const seats = this.store.get().match?.yourSeats.length ?? 0;
    for (const claim of claims) this.socket?.send(Op.CLAIM, claimPayload(claim, seats));
  }

  /** Sends overdue claims again. During an outage Nakama keeps them, so nothing is sent. */
  private resend(): void {
    const { pending, match } = this.store.get();
    const late = match?.paused === true ? [] : overdue(pending, this.localNow());
    if (late.length === 0) return;
    const sentMs = this.localNow();
    this.store.set({
      pending: pending.map((claim) => (late.includes(claim) ? { ...claim, sentMs } : claim)),
    });
    this.sendClaims(late);
  }

  /** Requests a snapshot if messages are missing, and sends overdue claims again. */
  private requestMissing(): void {
    if (this.store.get().match?.behind === true) this.socket?.send(Op.SYNC);
    this.resend();
  }

  private receive(message: Message): void {
    const before = this.store.get();
    if (isOwnKick(message, before.match)) {
      this.leave();
      this.store.set({ problem: "The creator of the match removed you." });
      return;
    }
    const match = apply(before.match, message, this.localNow());
    if (match === null) return;
    this.store.set({ match, ...this.changesAfter(before, match, message) });
    if (match.behind && before.match?.behind !== true) this.socket?.send(Op.SYNC);
    if (message.op === Op.SNAPSHOT) this.sendClaims(this.store.get().pending);
    this.records.update(match);
  }

  /** Returns the changes outside the match model: selected cards, claims in flight, events, hint. */
  private changesAfter(before: AppState, match: MatchModel, message: Message): Partial<AppState> {
    const pending = isPlaying(match) ? unanswered(before.pending, message) : [];
    const answered = pending.length < before.pending.length;
    const selected = answered ? [] : stillOnBoard(before.selected, match.slots);
    return {
      pending,
      selected: pending.length > 0 ? before.selected : selected,
      hint: this.hintAfter(before, message),
      problem: message.op === Op.CLAIM_REJECTED ? (REJECTIONS[message.body.reason] ?? "") : "",
      events: this.eventsAfter(before, match, message),
    };
  }

  private hintAfter(before: AppState, message: Message): readonly number[] {
    if (message.op === Op.HINT_RESULT) return message.body.cardIds;
    const cleared = message.op === Op.MATCH_STARTED || (message.op === Op.CLAIM_RESULT && message.body.valid);
    return cleared ? [] : before.hint;
  }

  private eventsAfter(before: AppState, match: MatchModel, message: Message): AppState["events"] {
    const isNew = before.match === null || match.seq !== before.match.seq || message.op === Op.SERVICE_STATUS;
    const event = isNew ? eventOf(message, match) : undefined;
    return event === undefined ? before.events : withEvent(before.events, event);
  }
}
