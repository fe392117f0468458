import { useEffect, useRef, useState } from "preact/hooks";
import type { MatchController } from "../app/controller";
import type { AppState } from "../app/state";
import { minutes } from "../game/clock";
import { type MatchModel, rematchLeftMs } from "../game/match";
import { endName, nameOf } from "../game/narration";
import type { Results } from "../protocol/messages";
import { ReplayView } from "./replay";

interface ResultProps {
  readonly state: AppState;
  readonly match: MatchModel;
  readonly controller: MatchController;
  readonly nowMs: number;
}

/** The result of a game, with a rematch and the replay. */
export function ResultView({ state, match, controller, nowMs }: ResultProps) {
  const [replaying, setReplaying] = useState(false);
  const results = match.results;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  if (results === null) return null;
  return (
    <section class="panel result">
      <h2 ref={heading} tabIndex={-1}>
        {headline(match, results)}
      </h2>
      <p>
        {endName(results.reason)}, after {minutes(results.durationMs)}.
      </p>
      <Standings results={results} />
      <div class="row">
        {match.yourSeats.length > 0 && (
          <Rematch state={state} match={match} controller={controller} nowMs={nowMs} />
        )}
        <button type="button" aria-expanded={replaying} onClick={() => setReplaying(!replaying)}>
          {replaying ? "Hide the replay" : "Show the replay"}
        </button>
        <button type="button" onClick={() => controller.leave()}>
          Back to the lobby
        </button>
      </div>
      {replaying && <ReplayView state={state} match={match} results={results} />}
    </section>
  );
}

function headline(match: MatchModel, results: Results): string {
  if (results.draw) return "A draw";
  if (results.winnerSeat === undefined) return "Nobody wins";
  const name = nameOf(match, results.winnerSeat);
  return name === "You" ? "You win!" : `${name} wins`;
}

function Standings({ results }: { readonly results: Results }) {
  return (
    <table>
      <caption class="unseen">Result</caption>
      <thead>
        <tr>
          <th scope="col">Place</th>
          <th scope="col">Player</th>
          <th scope="col">Points</th>
          <th scope="col">Sets</th>
          <th scope="col">Mistakes</th>
        </tr>
      </thead>
      <tbody>
        {results.standings.map(({ rank, player }) => (
          <tr key={player.seat}>
            <td>{rank}.</td>
            <th scope="row">{player.username}</th>
            <td>{player.score}</td>
            <td>{player.setsCollected}</td>
            <td>{player.invalidAttempts}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Button to vote for a rematch, with the time left. */
function Rematch({ state, match, controller, nowMs }: ResultProps) {
  const remainingMs = rematchLeftMs(match, nowMs);
  const voted = match.players.some((player) => match.yourSeats.includes(player.seat) && player.ready);
  if (remainingMs === 0) return <span class="note">This match is closed. A rematch is not possible.</span>;
  return (
    <>
      <button
        type="button"
        class="primary"
        disabled={voted || state.connection.at !== "joined"}
        onClick={() => controller.rematch()}
      >
        {voted ? "Waiting for the other players…" : "Rematch"}
      </button>
      <span class="note">
        {minutes(remainingMs)} left{voted ? "" : otherVotes(match)}
      </span>
    </>
  );
}

/** Returns the other players who voted for a rematch, in words, or empty. */
function otherVotes(match: MatchModel): string {
  const others = match.players.filter((player) => player.ready && !match.yourSeats.includes(player.seat));
  const names = others.map((player) => player.username).join(", ");
  return names === "" ? "" : `; requested by ${names}`;
}
