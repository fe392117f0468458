/** State of the page. */

import type { PendingClaim } from "../game/claims";
import type { MatchModel } from "../game/match";
import type { MatchEvent } from "../game/narration";
import type { Preferences } from "../game/options";
import type { PaletteName } from "../game/palettes";
import type { GameRecord } from "../game/replay";
import type { ConnectionState } from "../net/connection";
import type { DailyState } from "./daily";

export interface Settings {
  readonly palette: PaletteName;
  /** Whether each card shows a letter for its color. */
  readonly marks: boolean;
  /** Whether motion is reduced. */
  readonly calm: boolean;
}

export interface NumberedEvent extends MatchEvent {
  readonly id: number;
}

export interface AppState {
  readonly name: string;
  readonly settings: Settings;
  readonly preferences: Preferences;
  /** Text about the request of the lobby that is in flight, or empty. */
  readonly busy: string;
  /** Text of the last error, or empty. */
  readonly problem: string;
  /** The match id in the link that opened the page, with its invitation, or empty. */
  readonly invitation: string;
  /** The match in which the seat of this player is still kept, or empty. */
  readonly rejoin: string;
  /** Ranking of the daily challenge, or null if it was not read yet. */
  readonly daily: DailyState | null;
  /** Whether this tab had a match before a reload, and its player is not known yet. */
  readonly opening: boolean;
  /** The match id of the current match, with its invitation, or empty in the lobby. */
  readonly matchId: string;
  readonly connection: ConnectionState;
  readonly match: MatchModel | null;
  readonly selected: readonly number[];
  /** Claims in flight. */
  readonly pending: readonly PendingClaim[];
  readonly hint: readonly number[];
  readonly events: readonly NumberedEvent[];
  readonly record: GameRecord | null;
}

/** Returns the state at the start. */
export function emptyState(name: string, settings: Settings, preferences: Preferences): AppState {
  return {
    name,
    settings,
    preferences,
    busy: "",
    problem: "",
    invitation: "",
    rejoin: "",
    daily: null,
    opening: false,
    ...noMatch(),
  };
}

/** Returns the part of the state that belongs to a match, empty. */
export function noMatch() {
  return {
    matchId: "",
    connection: { at: "joining", attempt: 0 } as ConnectionState,
    match: null,
    selected: [],
    pending: [],
    hint: [],
    events: [],
    record: null,
  };
}

const EVENTS_KEPT = 30;

/** Returns the events with one more in front, without the oldest. */
export function withEvent(events: readonly NumberedEvent[], event: MatchEvent): readonly NumberedEvent[] {
  const id = (events[0]?.id ?? 0) + 1;
  return [{ ...event, id }, ...events].slice(0, EVENTS_KEPT);
}
