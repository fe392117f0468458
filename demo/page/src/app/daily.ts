/** Reads the ranking of the daily challenge and the user's results of the last days. */

import { type DailyLine, type DailyPast, dayOf, leaderboardOf, lineOf, withOwn } from "../game/daily";
import type { Nakama, Ranking } from "../net/nakama";
import type { AppState } from "./state";
import type { Store } from "./store";

const SHOWN_LINES = 10;
const HISTORY_DAYS = 7;
const ATTEMPTS = 12;
const RETRY_DELAY_MS = 500;

/** Today's ranking and this user's history. */
export interface DailyState {
  readonly day: string;
  readonly lines: readonly DailyLine[];
  readonly own: DailyLine | null;
  readonly history: readonly DailyPast[];
}

export class DailyChallenge {
  constructor(
    private readonly store: Store<AppState>,
    private readonly nakama: Nakama,
  ) {}

  /** Reads today's ranking and the history. */
  async load(): Promise<void> {
    try {
      this.store.set({ daily: await this.read() });
    } catch (problem) {
      this.store.set({ problem: problem instanceof Error ? problem.message : String(problem) });
    }
  }

  /** As `load`, after a game: waits for the result first, because Nakama writes it shortly after `MATCH_ENDED`. */
  async loadResult(): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const today = await this.nakama.ranking(leaderboardOf(dayOf(Date.now())), 1).catch(() => null);
      if (today?.own) break;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
    await this.load();
  }

  private async read(): Promise<DailyState> {
    const days = Array.from({ length: HISTORY_DAYS }, (_, ago) => dayOf(Date.now(), ago));
    const rankings = await Promise.all(
      days.map((day, ago) => this.nakama.ranking(leaderboardOf(day), ago === 0 ? SHOWN_LINES : 1)),
    );
    const own = ownLine(rankings[0]);
    return {
      day: days[0] ?? "",
      lines: withOwn(rankings[0]?.best.map(lineOf) ?? [], own),
      own,
      history: days.flatMap((day, ago) => {
        const line = ownLine(rankings[ago]);
        return line === null ? [] : [{ ...line, day }];
      }),
    };
  }
}

function ownLine(ranking: Ranking | null | undefined): DailyLine | null {
  return ranking?.own ? lineOf(ranking.own) : null;
}
