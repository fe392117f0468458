/** Everything that the page shows. */

import type { PendingClaim } from "../game/claims";
import type { News } from "../game/narration";
import { DEFAULT_WISHES, type Wishes } from "../game/options";
import type { PaletteName } from "../game/palettes";
import type { GameRecord } from "../game/replay";
import type { Table } from "../game/table";
import type { Link } from "../net/link";

export interface Settings {
  readonly palette: PaletteName;
  readonly marks: boolean;
  readonly calm: boolean;
}

/** Who of several players at one screen has called "Set", and until when they may choose, in local time. */
export interface Call {
  readonly seat: number;
  readonly untilMs: number;
}

export interface NumberedNews extends News {
  readonly id: number;
}

export interface AppState {
  readonly name: string;
  readonly settings: Settings;
  readonly wishes: Wishes;
  /** What is being waited for in the lobby, or empty. */
  readonly busy: string;
  /** What went wrong last, or empty. */
  readonly problem: string;
  /** The match of the link by which somebody came, or empty. */
  readonly invitation: string;
  /** The match that this tab is at, or empty. */
  readonly matchId: string;
  readonly link: Link;
  readonly table: Table | null;
  readonly picked: readonly number[];
  readonly pending: readonly PendingClaim[];
  readonly call: Call | null;
  readonly hint: readonly number[];
  readonly news: readonly NumberedNews[];
  readonly record: GameRecord | null;
}

/** Returns what is shown before anything is known. */
export function emptyState(name: string, settings: Settings, wishes: Partial<Wishes>): AppState {
  return {
    name,
    settings,
    wishes: { ...DEFAULT_WISHES, ...wishes },
    busy: "",
    problem: "",
    invitation: "",
    ...atNoTable(),
  };
}

/** Returns the part of the state that belongs to a table, without one. */
export function atNoTable() {
  return {
    matchId: "",
    link: { at: "joining", attempt: 0 } as Link,
    table: null,
    picked: [],
    pending: [],
    call: null,
    hint: [],
    news: [],
    record: null,
  };
}

const NEWS_KEPT = 30;

/** Returns the news with one more, the oldest dropped. */
export function withNews(news: readonly NumberedNews[], fresh: News): readonly NumberedNews[] {
  const id = (news[0]?.id ?? 0) + 1;
  return [{ ...fresh, id }, ...news].slice(0, NEWS_KEPT);
}
