import { minutes } from "../game/clock";
import { clockLeftMs, type MatchModel, type MatchPlayer } from "../game/match";
import { isYou } from "../game/narration";
import { Name, Text } from "./text";

/** List of the players: points, Sets, mistakes, clocks and connections. */
export function Scores({ match, nowMs }: { readonly match: MatchModel; readonly nowMs: number }) {
  return (
    <section class="panel scores" aria-label="Players">
      <ol>
        {match.players.map((player) => (
          <li key={player.seat} class={rowClass(match, player)}>
            <span class="dot" data-seat={player.seat} aria-hidden="true" />
            <span class="who">
              <span class="name">
                <Name>{player.username}</Name>
              </span>
              <Note match={match} player={player} nowMs={nowMs} />
            </span>
            <Clock remainingMs={clockLeftMs(match, player, nowMs)} />
            <span class="score">
              <Text>{String(player.score)}</Text>
              <span class="unseen"> points</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function rowClass(match: MatchModel, player: MatchPlayer): string {
  const yours = match.yourSeats.includes(player.seat) ? " is-you" : "";
  return `player ${player.status.replace("PLAYER_STATUS_", "is-").toLowerCase()}${yours}`;
}

function Clock({ remainingMs }: { readonly remainingMs: number | undefined }) {
  if (remainingMs === undefined) return null;
  return (
    <span
      class={remainingMs < 30_000 ? "clock is-short" : "clock"}
      role="timer"
      aria-label={`${minutes(remainingMs)} left`}
    >
      <Text>{minutes(remainingMs)}</Text>
    </span>
  );
}

function Note({
  match,
  player,
  nowMs,
}: {
  readonly match: MatchModel;
  readonly player: MatchPlayer;
  readonly nowMs: number;
}) {
  return (
    <span class="note">
      <Text>{noteOf(match, player, nowMs)}</Text>
    </span>
  );
}

function noteOf(match: MatchModel, player: MatchPlayer, nowMs: number): string {
  if (player.status === "PLAYER_STATUS_FORFEITED") return "out";
  if (player.status === "PLAYER_STATUS_DISCONNECTED") return disconnectedNote(player, nowMs);
  const state = match.phase === "PHASE_WAITING" ? player.ready && "ready" : tally(player);
  return [state, player.bot && "bot", isYou(match, player.seat) && "you"].filter(Boolean).join(" · ");
}

function disconnectedNote(player: MatchPlayer, nowMs: number): string {
  const { reconnectDeadlineMs } = player;
  return reconnectDeadlineMs === undefined
    ? "disconnected"
    : `disconnected, ${minutes(reconnectDeadlineMs - nowMs)} to reconnect`;
}

function tally({ setsCollected, invalidAttempts }: MatchPlayer): string {
  const sets = `${setsCollected} ${setsCollected === 1 ? "Set" : "Sets"}`;
  if (invalidAttempts === 0) return sets;
  return `${sets}, ${invalidAttempts} ${invalidAttempts === 1 ? "mistake" : "mistakes"}`;
}
