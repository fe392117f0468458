import { inviteLink, isLoopback } from "../app/address";
import type { MatchController } from "../app/controller";
import { minutes } from "../game/clock";
import { canExtend, type MatchModel, type MatchPlayer } from "../game/match";
import { shownName } from "../game/names";
import { CopyText } from "./copy";
import { QrCode } from "./qr";
import { Name, Text } from "./text";

interface PartProps {
  readonly match: MatchModel;
  readonly controller: MatchController;
}

interface WaitingProps extends PartProps {
  readonly matchId: string;
  readonly nowMs: number;
}

/** The match before the start: the invitation link, the players who are present, and the button to start. */
export function Waiting({ match, matchId, controller, nowMs }: WaitingProps) {
  return (
    <section class="panel waiting">
      <h2>
        <Text>{heading(match)}</Text>
      </h2>
      <Invitation link={inviteLink(matchId)} />
      <People match={match} controller={controller} />
      <Start match={match} controller={controller} />
      <Deadline match={match} controller={controller} nowMs={nowMs} />
    </section>
  );
}

function missing(match: MatchModel): number {
  return match.options.maxPlayers - match.players.length;
}

function heading(match: MatchModel): string {
  const count = missing(match);
  if (count > 0) return `Waiting for ${count} more ${count === 1 ? "player" : "players"}`;
  return match.options.private ? "All players are here" : "Starting…";
}

/** The players who are present and whether they are ready. The creator of the match can remove the others. */
function People({ match, controller }: PartProps) {
  const isCreator = match.players.some((player) => isYours(match, player) && isCreatorOf(match, player));
  return (
    <ul class="people" aria-label="Players who are here">
      {match.players.map((player) => (
        <li key={player.seat}>
          <span>
            <Name>{player.username}</Name>
          </span>
          <span class="note">
            <Text>{about(match, player)}</Text>
          </span>
          {isCreator && !isCreatorOf(match, player) && !player.bot && (
            <button
              type="button"
              aria-label={`Remove ${shownName(player.username)}`}
              onClick={() => controller.kick(player.userId)}
            >
              Remove
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function isYours(match: MatchModel, player: MatchPlayer): boolean {
  return match.yourSeats.includes(player.seat);
}

function isCreatorOf(match: MatchModel, player: MatchPlayer): boolean {
  return match.creatorId !== "" && player.userId === match.creatorId;
}

function about(match: MatchModel, player: MatchPlayer): string {
  const status = player.status === "PLAYER_STATUS_CONNECTED" ? readiness(match, player) : "no connection";
  return [
    isYours(match, player) && "you",
    isCreatorOf(match, player) && "created the match",
    player.bot ? "bot" : status,
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Returns whether a player is ready; empty in a public match, which starts when it is full. */
function readiness(match: MatchModel, player: MatchPlayer): string {
  if (player.ready) return "ready";
  return match.options.private ? "not ready" : "";
}

/** Button to start. A match starts when all players are ready; a public match also when it is full. */
function Start({ match, controller }: PartProps) {
  const enough = match.players.length >= match.options.minPlayers;
  if (!enough || match.yourSeats.length === 0) return null;
  const ready = match.players.some((player) => isYours(match, player) && player.ready);
  const label = missing(match) > 0 ? "Start without more players" : "Start";
  return (
    <button type="button" class="primary" disabled={ready} onClick={() => controller.ready()}>
      <Text>{ready ? "Ready: waiting for the other players" : label}</Text>
    </button>
  );
}

function Deadline({ match, controller, nowMs }: PartProps & { readonly nowMs: number }) {
  if (match.fillDeadlineMs === 0) return null;
  return (
    <p class="note">
      <Text>{`Time left to fill the match: ${minutes(match.fillDeadlineMs - nowMs)}.`}</Text>{" "}
      {canExtend(match) && (
        <button type="button" onClick={() => controller.extend()}>
          Wait longer
        </button>
      )}
    </p>
  );
}

function Invitation({ link }: { readonly link: string }) {
  return (
    <>
      <p>Send this link, or scan the code with a phone:</p>
      <CopyText text={link} label="Link to this match" kind="link" />
      <QrCode text={link} label="QR code of the link" />
      {isLoopback(location.hostname) && (
        <p class="note">This link works on this computer only. Open it in another tab.</p>
      )}
    </>
  );
}
