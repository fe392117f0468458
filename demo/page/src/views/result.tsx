import { useEffect, useRef, useState } from "preact/hooks";
import type { MatchController } from "../app/controller";
import type { DailyChallenge } from "../app/daily";
import type { Lobby } from "../app/lobby";
import type { AppState } from "../app/state";
import { minutes } from "../game/clock";
import type { MatchModel } from "../game/match";
import { endName, isYou, nameOf } from "../game/narration";
import type { Results } from "../protocol/messages";
import { DailyResult } from "./daily";
import { Again } from "./rematch";
import { ReplayView } from "./replay";
import { Name, Text } from "./text";

interface ResultProps {
  readonly state: AppState;
  readonly match: MatchModel;
  readonly controller: MatchController;
  readonly lobby: Lobby;
  readonly daily: DailyChallenge;
  readonly nowMs: number;
}

/** The result of a game, with a rematch or another match, and the replay. */
export function ResultView({ state, match, controller, lobby, daily, nowMs }: ResultProps) {
  const [replaying, setReplaying] = useState(false);
  const results = match.results;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  if (results === null) return null;
  const abandoned = results.reason === "END_REASON_ABANDONED";
  return (
    <section class="panel result">
      <h2 ref={heading} tabIndex={-1}>
        <Text>{headline(match, results)}</Text>
      </h2>
      {!abandoned && (
        <>
          <p>
            <Text>{`${endName(results.reason)}, after ${minutes(results.durationMs)}.`}</Text>
          </p>
          <Standings results={results} />
        </>
      )}
      {match.options.mode === "MODE_DAILY_CHALLENGE" && (
        <DailyResult results={results} daily={daily} shown={state.daily} />
      )}
      <div class="row">
        {match.yourSeats.length > 0 && (
          <Again state={state} match={match} controller={controller} lobby={lobby} nowMs={nowMs} />
        )}
        {!abandoned && (
          <button type="button" aria-expanded={replaying} onClick={() => setReplaying(!replaying)}>
            <Text>{replaying ? "Hide the replay" : "Show the replay"}</Text>
          </button>
        )}
        <button type="button" onClick={() => controller.leave()}>
          Back to the lobby
        </button>
      </div>
      {replaying && <ReplayView state={state} match={match} results={results} />}
    </section>
  );
}

function headline(match: MatchModel, results: Results): string {
  if (results.reason === "END_REASON_ABANDONED") return "Not enough players joined in time";
  if (results.draw) return "A draw";
  if (results.winnerSeat === undefined) return "Nobody wins";
  const seat = results.winnerSeat;
  return isYou(match, seat) ? "You win!" : `${nameOf(match, seat)} wins`;
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
            <th scope="row">
              <Name>{player.username}</Name>
            </th>
            <td>{player.score}</td>
            <td>{player.setsCollected}</td>
            <td>{player.invalidAttempts}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
