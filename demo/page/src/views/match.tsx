import type { MatchController } from "../app/controller";
import type { DailyChallenge } from "../app/daily";
import type { Lobby } from "../app/lobby";
import type { AppState } from "../app/state";
import { minutes } from "../game/clock";
import { isLocked, isPlaying, type MatchModel } from "../game/match";
import { showsMarks } from "../game/palettes";
import { nextChangeMs, shownSlots } from "../game/shown";
import { Banners } from "./banners";
import { Board, Mat } from "./board";
import { EventList } from "./events";
import { useMatchNow } from "./now";
import { ResultView } from "./result";
import { Scores } from "./scores";
import { TopBar } from "./top";
import { Waiting } from "./waiting";
import { useZoneKeys, Zones } from "./zones";

interface MatchViewProps {
  readonly state: AppState;
  readonly controller: MatchController;
  readonly lobby: Lobby;
  readonly daily: DailyChallenge;
}

/** The match, from the join to the result. */
export function MatchView(props: MatchViewProps) {
  const { state, controller, lobby } = props;
  const { match, connection } = state;
  useZoneKeys(match, controller);
  const leaving = {
    forfeits: match !== null && isPlaying(match) && match.yourSeats.length > 0,
    leave: () => controller.leave(),
  };
  return (
    <div class="match">
      <TopBar
        settings={state.settings}
        lobby={lobby}
        status={match ? summary(match) : ""}
        leaving={leaving}
      />
      <Banners state={state} controller={controller} />
      {connection.at === "over" ? (
        <Unavailable
          reason={connection.reason}
          isPrivate={state.matchId.includes("/")}
          controller={controller}
          lobby={lobby}
        />
      ) : (
        match && <JoinedMatch {...props} match={match} />
      )}
      {match === null && connection.at !== "over" && <main class="panel waiting">Joining the match…</main>}
    </div>
  );
}

interface PartProps extends MatchViewProps {
  readonly match: MatchModel;
}

function JoinedMatch(props: PartProps) {
  const { state, match } = props;
  const nowMs = useMatchNow(match);
  return (
    <div class="seats">
      <main class="match-main">
        <MainArea {...props} nowMs={nowMs} />
      </main>
      <aside aria-label="Scores and events">
        <Scores match={match} nowMs={nowMs} />
        {match.results === null && <Actions {...props} />}
        <EventList events={state.events} marks={showsMarks(state.settings.palette, state.settings.marks)} />
      </aside>
    </div>
  );
}

function MainArea(props: PartProps & { readonly nowMs: number }) {
  const { state, match, controller, nowMs } = props;
  if (match.results !== null && nowMs >= match.lockedUntilMs) return <ResultView {...props} />;
  if (match.phase === "PHASE_WAITING")
    return <Waiting match={match} matchId={state.matchId} controller={controller} nowMs={nowMs} />;
  const shared = match.yourSeats.length > 1;
  return (
    <>
      {shared && <Zones match={match} controller={controller} side="far" />}
      <Mat
        slots={match.slots.length}
        class={boardClass(state, match, nowMs)}
        times={match.options.animationMs}
      >
        <Board
          slots={shownSlots(match, nowMs)}
          selected={state.selected}
          hint={state.hint}
          marks={showsMarks(state.settings.palette, state.settings.marks)}
          label="Board"
          onTouch={(card) => controller.touch(card)}
          onEscape={() => controller.deselect()}
        />
        <Verdict match={match} nowMs={nowMs} />
      </Mat>
      {shared && <Zones match={match} controller={controller} side="near" />}
    </>
  );
}

/** Returns the CSS class of the board: open for claims, or paused by an outage or a lost connection. */
function boardClass(state: AppState, match: MatchModel, nowMs: number): string {
  if (match.paused || state.connection.at !== "joined") return "is-paused";
  const free = match.yourSeats.some((seat) => !isLocked(match, seat, nowMs));
  return free && nextChangeMs(match, nowMs) === undefined && state.pending.length === 0 ? "is-open" : "";
}

/** The reason why this player's last claim is invalid, shown over the board during its animation. */
function Verdict({ match, nowMs }: { readonly match: MatchModel; readonly nowMs: number }) {
  const invalid = match.shownClaims.find((shown) => !shown.valid && shown.untilMs > nowMs);
  const isMine = invalid !== undefined && match.yourSeats.includes(invalid.seat);
  return isMine ? (
    <p class="verdict" key={invalid.message}>
      {invalid.message}
    </p>
  ) : null;
}

function Actions({ state, match, controller }: PartProps) {
  if (!isPlaying(match) || match.yourSeats.length === 0) return null;
  return (
    <div class="row actions">
      {match.options.hints && (
        <button type="button" onClick={() => controller.hint()}>
          Hint
        </button>
      )}
      <button type="button" disabled={state.selected.length === 0} onClick={() => controller.deselect()}>
        Deselect
      </button>
    </div>
  );
}

interface UnavailableProps extends Pick<MatchViewProps, "controller" | "lobby"> {
  readonly reason: string;
  /** Whether the link has an invitation to a match of friends. */
  readonly isPrivate: boolean;
}

/** A match that this client cannot join, with the reason and other matches. */
function Unavailable({ reason, isPrivate, controller, lobby }: UnavailableProps) {
  const leave = () => controller.leave();
  const playAnother = () => {
    controller.leave();
    void lobby.play(isPrivate ? "friends" : "find");
  };
  return (
    <main class="panel waiting">
      <h2>This match is no longer available</h2>
      <p>{explanation(reason)}</p>
      <div class="row">
        <button type="button" class="primary" onClick={playAnother}>
          {isPrivate ? "Create a match" : "Find another match"}
        </button>
        <button type="button" onClick={leave}>
          Back to the lobby
        </button>
      </div>
    </main>
  );
}

/** Returns the reason in words. Nakama forgets a match at its end, so an unknown match has ended, too. */
function explanation(reason: string): string {
  const ended = /not found|match over/i.test(reason);
  return ended ? "The match has ended. Ask for a new link." : `Reason: ${reason}.`;
}

function summary(match: MatchModel): string {
  const parts = [match.phase !== "PHASE_WAITING" && `${match.cardsRemaining} cards left`, limit(match)];
  if (match.yourSeats.length === 0) parts.push("you are a spectator");
  return parts.filter(Boolean).join(" · ");
}

function limit({ options }: MatchModel): string {
  return options.timeLimitSeconds > 0 ? `time limit ${minutes(options.timeLimitSeconds * 1000)}` : "";
}
