/** The choices after a game: a rematch with the same players, or another match with the same options. */

import type { MatchController } from "../app/controller";
import type { Lobby } from "../app/lobby";
import type { AppState } from "../app/state";
import { minutes } from "../game/clock";
import { enoughForRematch, type MatchModel, playersWhoLeft, rematchLeftMs } from "../game/match";
import { namesOf } from "../game/narration";
import { Text } from "./text";

interface AgainProps {
  readonly state: AppState;
  readonly match: MatchModel;
  readonly controller: MatchController;
  readonly lobby: Lobby;
  readonly nowMs: number;
}

/** A rematch if enough players are left and the match accepts votes, else another match. */
export function Again({ state, match, controller, lobby, nowMs }: AgainProps) {
  const remainingMs = rematchLeftMs(match, nowMs);
  const gone = playersWhoLeft(match);
  if (remainingMs > 0 && enoughForRematch(match))
    return <Rematch state={state} match={match} controller={controller} remainingMs={remainingMs} />;
  return (
    <>
      <button
        type="button"
        class="primary"
        disabled={state.busy !== ""}
        onClick={() => lobby.playAgain(match.options)}
      >
        {label(match)}
      </button>
      <span class="note">
        <Text>{gone.length > 0 ? `${namesOf(gone)} ${gone.length > 1 ? "have" : "has"} left.` : ""}</Text>
      </span>
    </>
  );
}

function label({ options, results }: MatchModel): string {
  if (options.mode !== "MODE_ONLINE") return "Play again";
  if (options.private) return "Create a new match";
  return results?.reason === "END_REASON_ABANDONED" ? "Search again" : "New opponent";
}

interface RematchProps extends Pick<AgainProps, "state" | "match" | "controller"> {
  readonly remainingMs: number;
}

/** Button to vote for a rematch, with the time left and the votes of the other players. */
function Rematch({ state, match, controller, remainingMs }: RematchProps) {
  const voted = match.players.some((player) => match.yourSeats.includes(player.seat) && player.ready);
  const others = match.players.filter((player) => player.ready && !match.yourSeats.includes(player.seat));
  const votes = voted || others.length === 0 ? "" : `; requested by ${namesOf(others)}`;
  return (
    <>
      <button
        type="button"
        class="primary"
        disabled={voted || state.connection.at !== "joined"}
        onClick={() => controller.rematch()}
      >
        <Text>{voted ? "Waiting for the other players…" : "Rematch"}</Text>
      </button>
      <span class="note">
        <Text>{`${minutes(remainingMs)} left${votes}`}</Text>
      </span>
    </>
  );
}
