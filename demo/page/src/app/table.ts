/** What a player does at a table, and what the match says to it. */

import { apply } from "../game/apply";
import { claimPayload, overdue, type PendingClaim, unanswered } from "../game/claims";
import { matchNow } from "../game/clock";
import { tell } from "../game/narration";
import { SET_SIZE, stillThere, toggle } from "../game/selection";
import { isLocked, isPlaying, type Table } from "../game/table";
import type { Nakama } from "../net/nakama";
import { MatchSeat } from "../net/seat";
import type { Message } from "../protocol/messages";
import { type ClaimReason, Op } from "../protocol/vocabulary";
import { showMatch } from "./address";
import { rememberMatch } from "./memory";
import { RecordReader } from "./record";
import { type AppState, atNoTable, withNews } from "./state";
import type { Store } from "./store";

const RESEND_LOOK_MS = 1000;

/** How long one of several players at one screen may choose after calling, in milliseconds. */
export const CALL_MS = 10_000;

const REJECTIONS: Partial<Readonly<Record<ClaimReason, string>>> = {
  CLAIM_REASON_LOCKED: "Too early: claims are locked for a moment.",
  CLAIM_REASON_SPECTATOR: "You are watching: only players claim.",
  CLAIM_REASON_FORFEITED: "You are out of this game.",
  CLAIM_REASON_RATE_LIMITED: "Slower, please.",
  CLAIM_REASON_NOT_ALLOWED: "That is not possible now.",
};

function isOwnKick(message: Message, table: Table | null): boolean {
  if (message.op !== Op.PLAYER_CHANGED || message.body.change !== "PLAYER_CHANGE_KICKED") return false;
  return table?.yourSeats.includes(message.body.player.seat) === true;
}

export class TableDesk {
  private seat: MatchSeat | null = null;
  private claims = 0;
  private readonly records: RecordReader;

  constructor(
    private readonly store: Store<AppState>,
    private readonly nakama: Nakama,
    private readonly localNow: () => number = () => performance.now(),
  ) {
    this.records = new RecordReader(store, nakama);
    setInterval(() => this.insist(), RESEND_LOOK_MS);
  }

  /** Joins a match and stays at it until `leave`. */
  sit(matchId: string): void {
    rememberMatch(matchId);
    showMatch(matchId);
    this.store.set({ ...atNoTable(), matchId, invitation: "", problem: "" });
    this.seat = new MatchSeat(this.nakama, matchId, {
      onMessage: (message) => this.hear(message),
      onLink: (link) => this.store.set({ link }),
    });
  }

  /** Leaves for the lobby: in a running game this forfeits. */
  leave(): void {
    void this.seat?.leave();
    this.seat = null;
    rememberMatch("");
    showMatch("");
    this.store.set(atNoTable());
  }

  retryNow(): void {
    this.seat?.hurry();
  }

  ready(): void {
    this.seat?.send(Op.READY);
  }

  /** Asks for more time until the match must be full. */
  extend(): void {
    this.seat?.send(Op.EXTEND);
  }

  /** Removes a user before the start; only the creator of the match may. */
  kick(userId: string): void {
    this.seat?.send(Op.KICK, JSON.stringify({ userId }));
  }

  rematch(): void {
    this.seat?.send(Op.REMATCH);
  }

  hint(): void {
    this.seat?.send(Op.HINT);
  }

  /** Touches a card: selects it, deselects it, or claims with it as the third. */
  touch(cardId: number): void {
    const { table, picked } = this.store.get();
    const seat = this.claimant();
    if (table === null || seat === undefined || !isPlaying(table)) return;
    const now = toggle(picked, cardId);
    if (now.length < SET_SIZE) this.store.set({ picked: now });
    else if (!isLocked(table, seat, matchNow(table.clock, this.localNow()))) this.claim(seat, now);
  }

  deselect(): void {
    if (this.store.get().pending.length === 0) this.store.set({ picked: [], call: null });
  }

  /** One of several players at one screen calls "Set" and may choose; nobody else may until then. */
  call(seat: number): void {
    const { call, table } = this.store.get();
    if (table === null || !isPlaying(table) || (call !== null && call.untilMs > this.localNow())) return;
    const untilMs = this.localNow() + CALL_MS;
    this.store.set({ call: { seat, untilMs }, picked: [] });
    setTimeout(() => this.endCall(untilMs), CALL_MS);
  }

  /** Who claims with the next card: this connection's only seat, or whoever called. */
  private claimant(): number | undefined {
    const { table, call, pending } = this.store.get();
    if (table === null || pending.length > 0) return undefined;
    return table.yourSeats.length > 1 ? call?.seat : table.yourSeats[0];
  }

  private endCall(untilMs: number): void {
    if (this.store.get().call?.untilMs === untilMs) this.store.set({ call: null, picked: [] });
  }

  private claim(seat: number, cardIds: readonly number[]): void {
    this.claims += 1;
    const claimId = `${Date.now().toString(36)}-${this.claims}`;
    const claim: PendingClaim = { claimId, cardIds, seat, sentMs: this.localNow() };
    this.store.set({ picked: cardIds, pending: [...this.store.get().pending, claim], hint: [] });
    this.sendClaims([claim]);
  }

  private sendClaims(claims: readonly PendingClaim[]): void {
    const held = this.store.get().table?.yourSeats.length ?? 0;
    for (const claim of claims) this.seat?.send(Op.CLAIM, claimPayload(claim, held));
  }

  /** Sends claims again that should have been answered; while the referee is away they are kept for it. */
  private resend(): void {
    const { pending, table } = this.store.get();
    const late = table?.paused === true ? [] : overdue(pending, this.localNow());
    if (late.length === 0) return;
    this.store.set({ pending: pending.map((claim) => (late.includes(claim) ? this.again(claim) : claim)) });
    this.sendClaims(late);
  }

  /** Asks again for what has not come. */
  private insist(): void {
    if (this.store.get().table?.behind === true) this.seat?.send(Op.SYNC);
    this.resend();
  }

  private again(claim: PendingClaim): PendingClaim {
    return { ...claim, sentMs: this.localNow() };
  }

  private hear(message: Message): void {
    const before = this.store.get();
    if (isOwnKick(message, before.table)) {
      this.leave();
      this.store.set({ problem: "The creator of the table has removed you." });
      return;
    }
    const table = apply(before.table, message, this.localNow());
    if (table === null) return;
    this.store.set({ table, ...this.follow(before, table, message) });
    if (table.behind && before.table?.behind !== true) this.seat?.send(Op.SYNC);
    if (message.op === Op.SNAPSHOT) this.sendClaims(this.store.get().pending);
    this.records.follow(table);
  }

  /** What a message changes around the table: the choice of cards, claims on their way, news, hints. */
  private follow(before: AppState, table: Table, message: Message): Partial<AppState> {
    const pending = isPlaying(table) ? unanswered(before.pending, message) : [];
    const answered = pending.length < before.pending.length;
    const picked = answered ? [] : stillThere(before.picked, table.slots);
    return {
      pending,
      picked: pending.length > 0 ? before.picked : picked,
      call: answered ? null : before.call,
      hint: this.hintAfter(before, message),
      problem: message.op === Op.CLAIM_REJECTED ? (REJECTIONS[message.body.reason] ?? "") : "",
      news: this.newsAfter(before, table, message),
    };
  }

  private hintAfter(before: AppState, message: Message): readonly number[] {
    if (message.op === Op.HINT_RESULT) return message.body.cardIds;
    const cleared = message.op === Op.MATCH_STARTED || (message.op === Op.CLAIM_RESULT && message.body.valid);
    return cleared ? [] : before.hint;
  }

  private newsAfter(before: AppState, table: Table, message: Message): AppState["news"] {
    const fresh = before.table === null || table.seq !== before.table.seq || message.op === Op.SERVICE_STATUS;
    const news = fresh ? tell(message, table) : undefined;
    return news === undefined ? before.news : withNews(before.news, news);
  }
}
