/** Fetches the record of a finished game for the replay. */

import type { MatchModel } from "../game/match";
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

  /** Retries, because Nakama writes the record shortly after `MATCH_ENDED`. */
  private async fetch(key: string): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS && this.recordKey === key; attempt += 1) {
      const record = await this.nakama.record(key).catch(() => null);
      if (record !== null && this.recordKey === key) return this.store.set({ record });
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
  }
}
