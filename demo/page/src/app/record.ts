/** Fetches the record of a finished game for the replay. */

import type { MatchModel } from "../game/match";
import type { GameRecord } from "../game/replay";
import type { Nakama } from "../net/nakama";
import type { AppState } from "./state";
import type { Store } from "./store";

const ATTEMPTS = 12;
const RETRY_DELAY_MS = 500;

export class RecordReader {
  private recordKey = "";

  constructor(
    private readonly store: Store<AppState>,
    private readonly nakama: Nakama,
  ) {}

  /** Fetches the record after the end of a game, and clears it when the next game starts. */
  update(match: MatchModel): void {
    const key = match.results?.recordKey ?? "";
    if (key === this.recordKey) return;
    this.recordKey = key;
    this.store.set({ record: null });
    if (key !== "") void this.fetch(key);
  }

  /** Returns the record of a game, or null if it is not written yet. */
  private read(recordKey: string): Promise<GameRecord | null> {
    return this.nakama.find<GameRecord>("set_record", { recordKey });
  }

  /** Retries, because Nakama writes the record shortly after `MATCH_ENDED`. */
  private async fetch(key: string): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS && this.recordKey === key; attempt += 1) {
      const record = await this.read(key).catch(() => null);
      if (record !== null && this.recordKey === key) return this.store.set({ record });
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
  }
}
