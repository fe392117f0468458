/** Messages of a match (docs/protocol.md). Times are milliseconds on the match clock. */

import type {
  BotLevel,
  ClaimOrder,
  ClaimReason,
  EndReason,
  Mode,
  Op,
  Penalty,
  Phase,
  PlayerChange,
  PlayerStatus,
} from "./vocabulary";

/** Duration of the animations, in milliseconds. Claims are locked meanwhile. */
export interface AnimationMs {
  readonly validSet: number;
  readonly refill: number;
  readonly invalidSet: number;
  readonly expandBoard: number;
}

/** Options of a match. */
export interface MatchOptions {
  readonly mode: Mode;
  readonly maxPlayers: number;
  readonly minPlayers: number;
  readonly timeLimitSeconds: number;
  readonly penalty: Penalty;
  readonly timePenaltySeconds: number;
  readonly tieBreakFewestInvalid: boolean;
  readonly penalizeStaleClaims: boolean;
  readonly reconnectWindowSeconds: number;
  readonly animationMs: AnimationMs;
  readonly bots: readonly { readonly level: BotLevel }[];
  readonly allowSpectators: boolean;
  readonly localPlayers: readonly string[];
  readonly hints: boolean;
  readonly private: boolean;
  readonly claimOrder: ClaimOrder;
}

/** One position on the board; empty without a card id. */
export interface Slot {
  readonly index: number;
  readonly cardId?: number;
}

/** Public data of a player. */
export interface Player {
  readonly seat: number;
  readonly userId: string;
  readonly username: string;
  readonly bot: boolean;
  readonly score: number;
  readonly setsCollected: number;
  readonly invalidAttempts: number;
  readonly status: PlayerStatus;
  readonly ready: boolean;
  readonly timeRemainingMs?: number;
  readonly reconnectDeadlineMs?: number;
  readonly lockedUntilMs?: number;
}

/** One line of the result. Players with an equal result share a rank. */
export interface Standing {
  readonly rank: number;
  readonly player: Player;
}

/** Result of a game. */
export interface Results {
  readonly reason: EndReason;
  readonly winnerSeat?: number;
  readonly draw: boolean;
  readonly standings: readonly Standing[];
  readonly durationMs: number;
  readonly deck: readonly number[];
  readonly recordKey: string;
}

/** Start of a game, with its first board. */
export interface MatchStarted {
  readonly seq: number;
  readonly game: number;
  readonly phase: Phase;
  readonly options: MatchOptions;
  readonly players: readonly Player[];
  readonly slots: readonly Slot[];
  readonly cardsRemaining: number;
  readonly boardVersion: number;
  readonly nowMs: number;
  readonly timeRemainingMs?: number;
  readonly lockedUntilMs?: number;
}

/** Everything that this client may know about the match. */
export interface Snapshot extends MatchStarted {
  readonly yourSeats: readonly number[];
  readonly creatorId: string;
  readonly fillDeadlineMs?: number;
  readonly results?: Results;
}

/** Result of a claim. */
export interface ClaimResult {
  readonly seq: number;
  readonly claimId: string;
  readonly seat: number;
  readonly userId: string;
  readonly cardIds: readonly number[];
  readonly valid: boolean;
  readonly reason: ClaimReason;
  readonly message: string;
  readonly scoreDelta: number;
  readonly player: Player;
  readonly slots: readonly Slot[];
  readonly boardVersion: number;
  readonly cardsRemaining: number;
  readonly phase: Phase;
  readonly lockedUntilMs: number;
}

/** Rejection of a message, which had no effect. */
export interface ClaimRejected {
  readonly claimId: string;
  readonly reason: ClaimReason;
  readonly opCode: number;
  readonly message: string;
}

/** Expansion of a board without a Set by three cards. */
export interface BoardExpanded {
  readonly seq: number;
  readonly slots: readonly Slot[];
  readonly boardVersion: number;
  readonly cardsRemaining: number;
  readonly phase: Phase;
  readonly lockedUntilMs: number;
}

/** Change of a player's data or status. */
export interface PlayerChanged {
  readonly seq: number;
  readonly player: Player;
  readonly change: PlayerChange;
}

/** End of a game, with its result. */
export interface MatchEnded extends Results {
  readonly seq: number;
}

/** Hint: a Set on the board, or no cards if there is none. */
export interface HintResult {
  readonly cardIds: readonly number[];
}

/** New deadline of the fill time. */
export interface FillTime {
  readonly seq: number;
  readonly fillDeadlineMs: number;
}

/** Start or end of an outage; `closed` if the match is closed, `restarting` before a restart of Nakama. */
export interface ServiceStatus {
  readonly paused: boolean;
  readonly closed: boolean;
  readonly restarting: boolean;
}

/** A message with its op code. */
export type Message =
  | { readonly op: typeof Op.SNAPSHOT; readonly body: Snapshot }
  | { readonly op: typeof Op.MATCH_STARTED; readonly body: MatchStarted }
  | { readonly op: typeof Op.CLAIM_RESULT; readonly body: ClaimResult }
  | { readonly op: typeof Op.CLAIM_REJECTED; readonly body: ClaimRejected }
  | { readonly op: typeof Op.BOARD_EXPANDED; readonly body: BoardExpanded }
  | { readonly op: typeof Op.PLAYER_CHANGED; readonly body: PlayerChanged }
  | { readonly op: typeof Op.MATCH_ENDED; readonly body: MatchEnded }
  | { readonly op: typeof Op.HINT_RESULT; readonly body: HintResult }
  | { readonly op: typeof Op.SERVICE_STATUS; readonly body: ServiceStatus }
  | { readonly op: typeof Op.FILL_TIME; readonly body: FillTime };
