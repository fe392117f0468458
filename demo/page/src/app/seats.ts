/** Remembers the match in which this player has a seat, to offer it after a reload or after the browser was closed. */

import { isPlaying, type MatchModel } from "../game/match";
import { loadRunning, saveMatch, saveRunning } from "./memory";

/** Addition to the reconnect window, because Nakama notices a lost connection some seconds later. */
const NOTICED_WITHIN_MS = 30_000;

export class SeatKeeper {
  private player = -1;
  private running: { readonly matchId: string; readonly keptMs: number } | null = null;

  /** Sets the number of this tab's player in the browser. */
  identify(player: number): void {
    this.player = player;
  }

  /** Remembers the match of this tab; `match` is its model after a snapshot, or null before the join. */
  remember(matchId: string, match: MatchModel | null): void {
    saveMatch(matchId);
    if (match === null) return;
    const keptMs = match.options.reconnectWindowSeconds * 1000 + NOTICED_WITHIN_MS;
    if (isPlaying(match) && match.yourSeats.length > 0) this.running = { matchId, keptMs };
    else this.clear();
    this.keep();
  }

  forget(): void {
    saveMatch("");
    this.clear();
  }

  /** Saves how long the seat is kept, if the connection ends now. Call it before the page closes. */
  keep(): void {
    if (this.running === null || this.player < 0) return;
    const { matchId, keptMs } = this.running;
    saveRunning(this.player, { matchId, untilMs: Date.now() + keptMs });
  }

  /** Returns the match in which the seat of this player may still be kept, or empty. */
  kept(): string {
    return loadRunning(this.player, Date.now());
  }

  private clear(): void {
    this.running = null;
    if (this.player >= 0) saveRunning(this.player, null);
  }
}
