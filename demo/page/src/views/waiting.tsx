import { useState } from "preact/hooks";
import { inviteLink, isLoopback } from "../app/address";
import type { MatchController } from "../app/controller";
import { minutes } from "../game/clock";
import type { MatchModel } from "../game/match";
import { QrCode } from "./qr";

interface WaitingProps {
  readonly match: MatchModel;
  readonly matchId: string;
  readonly controller: MatchController;
  readonly nowMs: number;
}

/** The match before the start: free seats, the invitation link, and the button to start. */
export function Waiting({ match, matchId, controller, nowMs }: WaitingProps) {
  return (
    <section class="panel waiting">
      <h2>{heading(match)}</h2>
      <Invitation link={inviteLink(matchId)} />
      <Start match={match} controller={controller} />
      <Deadline match={match} controller={controller} nowMs={nowMs} />
      <Guests match={match} controller={controller} />
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

interface PartProps {
  readonly match: MatchModel;
  readonly controller: MatchController;
}

/** Button to start. A match starts when all players are ready; a public match also when it is full. */
function Start({ match, controller }: PartProps) {
  const enough = match.players.length >= match.options.minPlayers;
  if (!enough || match.yourSeats.length === 0) return null;
  const ready = match.players.some((player) => match.yourSeats.includes(player.seat) && player.ready);
  const label = missing(match) > 0 ? "Start without more players" : "Start";
  return (
    <button type="button" class="primary" disabled={ready} onClick={() => controller.ready()}>
      {ready ? "Ready: waiting for the other players" : label}
    </button>
  );
}

function Deadline({ match, controller, nowMs }: PartProps & { readonly nowMs: number }) {
  if (match.fillDeadlineMs === 0) return null;
  return (
    <p class="note">
      Time left to fill the match: {minutes(match.fillDeadlineMs - nowMs)}.{" "}
      {match.yourSeats.length > 0 && (
        <button type="button" onClick={() => controller.extend()}>
          Wait longer
        </button>
      )}
    </p>
  );
}

/** The other players, with buttons for the creator of the match to remove them. */
function Guests({ match, controller }: PartProps) {
  const isCreator = match.players.some(
    ({ seat, userId }) => match.yourSeats.includes(seat) && userId === match.creatorId,
  );
  const guests = match.players.filter(({ userId, bot }) => !bot && userId !== match.creatorId);
  if (!isCreator || guests.length === 0) return null;
  return (
    <ul>
      {guests.map(({ userId, username }) => (
        <li key={userId}>
          {username}{" "}
          <button type="button" aria-label={`Remove ${username}`} onClick={() => controller.kick(userId)}>
            Remove
          </button>
        </li>
      ))}
    </ul>
  );
}

function Invitation({ link }: { readonly link: string }) {
  return (
    <>
      <p>Send this link, or scan the code with a phone:</p>
      <CopyLink link={link} />
      <QrCode text={link} label="QR code of the link" />
      {isLoopback(location.hostname) && (
        <p class="note">This link works on this computer only. Open it in another tab.</p>
      )}
    </>
  );
}

function CopyLink({ link }: { readonly link: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(link).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <div class="copy">
      <input
        readOnly
        value={link}
        aria-label="Link to this match"
        onFocus={(event) => event.currentTarget.select()}
      />
      <button type="button" onClick={copy}>
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
