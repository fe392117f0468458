/** Fetches the record of a finished game, for looking through it. */

import type { Table } from "../game/table";
import type { Nakama } from "../net/nakama";
import type { AppState } from "./state";
import type { Store } from "./store";

const LOOKS = 12;
const BETWEEN_LOOKS_MS = 500;

export class RecordReader {
  private wanted = "";

  constructor(
    private readonly store: Store<AppState>,
    private readonly nakama: Nakama,
  ) {}

  /** Begins to read when a game has ended; forgets the record when another begins. */
  follow(table: Table): void {
    const key = table.results?.recordKey ?? "";
    if (key === this.wanted) return;
    this.wanted = key;
    this.store.set({ record: null });
    if (key !== "") void this.read(key);
  }

  /** The record is written just after the end is told: look a few times. */
  private async read(key: string): Promise<void> {
    for (let look = 0; look < LOOKS && this.wanted === key; look += 1) {
      const record = await this.nakama.record(key).catch(() => null);
      if (record !== null && this.wanted === key) return this.store.set({ record });
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS));
    }
  }
}
