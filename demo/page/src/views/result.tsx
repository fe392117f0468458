import { useEffect, useRef, useState } from "preact/hooks";
import type { AppState } from "../app/state";
import type { TableDesk } from "../app/table";
import { minutes } from "../game/clock";
import { endName, nameOf } from "../game/narration";
import { rematchLeftMs, type Table } from "../game/table";
import type { Results } from "../protocol/messages";
import { ReplayView } from "./replay";

interface ResultProps {
  readonly state: AppState;
  readonly table: Table;
  readonly desk: TableDesk;
  readonly nowMs: number;
}

/** The end: who won, a rematch, and a look through the deck. */
export function ResultView({ state, table, desk, nowMs }: ResultProps) {
  const [looking, setLooking] = useState(false);
  const results = table.results;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  if (results === null) return null;
  return (
    <section class="panel result">
      <h2 ref={heading} tabIndex={-1}>
        {headline(table, results)}
      </h2>
      <p>
        {endName(results.reason)}, after {minutes(results.durationMs)}.
      </p>
      <Standings results={results} />
      <div class="row">
        {table.yourSeats.length > 0 && <Rematch state={state} table={table} desk={desk} nowMs={nowMs} />}
        <button type="button" aria-expanded={looking} onClick={() => setLooking(!looking)}>
          {looking ? "Close the replay" : "Look through the game"}
        </button>
        <button type="button" onClick={() => desk.leave()}>
          To the lobby
        </button>
      </div>
      {looking && <ReplayView state={state} table={table} results={results} />}
    </section>
  );
}

function headline(table: Table, results: Results): string {
  if (results.draw) return "A draw";
  if (results.winnerSeat === undefined) return "Nobody wins";
  const name = nameOf(table, results.winnerSeat);
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

/** Votes for another game; the match waits a while for everybody, then it is gone. */
function Rematch({ state, table, desk, nowMs }: ResultProps) {
  const leftMs = rematchLeftMs(table, nowMs);
  const asked = table.players.some((player) => table.yourSeats.includes(player.seat) && player.ready);
  if (leftMs === 0) return <span class="note">The table is closed: no rematch any more.</span>;
  return (
    <>
      <button
        type="button"
        class="primary"
        disabled={asked || state.link.at !== "joined"}
        onClick={() => desk.rematch()}
      >
        {asked ? "Waiting for the others…" : "Rematch"}
      </button>
      <span class="note">
        {minutes(leftMs)} left{asked ? "" : wishOf(table)}
      </span>
    </>
  );
}

/** Who else would like a rematch, in words, or empty. */
function wishOf(table: Table): string {
  const others = table.players.filter((player) => player.ready && !table.yourSeats.includes(player.seat));
  const names = others.map((player) => player.username).join(", ");
  return names === "" ? "" : `; ${names} would like one`;
}
