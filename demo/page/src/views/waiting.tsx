import { useState } from "preact/hooks";
import { inviteLink, isOnlyHere } from "../app/address";
import type { TableDesk } from "../app/table";
import { minutes } from "../game/clock";
import type { Table } from "../game/table";
import { QrCode } from "./qr";

interface WaitingProps {
  readonly table: Table;
  readonly matchId: string;
  readonly desk: TableDesk;
  readonly nowMs: number;
}

/** The table before the deal: who is missing, how to invite them, and the start. */
export function Waiting({ table, matchId, desk, nowMs }: WaitingProps) {
  return (
    <section class="panel waiting">
      <h2>{heading(table)}</h2>
      <Invitation link={inviteLink(matchId)} />
      <Start table={table} desk={desk} />
      <Deadline table={table} desk={desk} nowMs={nowMs} />
      <Guests table={table} desk={desk} />
    </section>
  );
}

function missing(table: Table): number {
  return table.options.maxPlayers - table.players.length;
}

function heading(table: Table): string {
  const count = missing(table);
  if (count > 0) return `Waiting for ${count} more ${count === 1 ? "player" : "players"}`;
  return table.options.private ? "Everybody is here" : "Starting…";
}

interface PartProps {
  readonly table: Table;
  readonly desk: TableDesk;
}

/** A private match starts when all are ready; a public one also by itself, when it is full. */
function Start({ table, desk }: PartProps) {
  const enough = table.players.length >= table.options.minPlayers;
  if (!enough || table.yourSeats.length === 0) return null;
  const ready = table.players.some((player) => table.yourSeats.includes(player.seat) && player.ready);
  const wish = missing(table) > 0 ? "Start without more players" : "Start";
  return (
    <button type="button" class="primary" disabled={ready} onClick={() => desk.ready()}>
      {ready ? "Ready: waiting for the others" : wish}
    </button>
  );
}

function Deadline({ table, desk, nowMs }: PartProps & { readonly nowMs: number }) {
  if (table.fillDeadlineMs === 0) return null;
  return (
    <p class="note">
      The table waits for {minutes(Math.max(0, table.fillDeadlineMs - nowMs))}.{" "}
      {table.yourSeats.length > 0 && (
        <button type="button" onClick={() => desk.extend()}>
          Wait longer
        </button>
      )}
    </p>
  );
}

/** The other players, whom the creator of the table can remove. */
function Guests({ table, desk }: PartProps) {
  const isCreator = table.players.some(
    ({ seat, userId }) => table.yourSeats.includes(seat) && userId === table.creatorId,
  );
  const guests = table.players.filter(({ userId, bot }) => !bot && userId !== table.creatorId);
  if (!isCreator || guests.length === 0) return null;
  return (
    <ul class="guests">
      {guests.map(({ userId, username }) => (
        <li key={userId}>
          {username}{" "}
          <button type="button" aria-label={`Remove ${username}`} onClick={() => desk.kick(userId)}>
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
      <p>Send this link, or let a phone read the code:</p>
      <CopyLink link={link} />
      <QrCode text={link} label="QR code of the link" />
      {isOnlyHere(location.hostname) && (
        <p class="note">This address works on this computer only: open it in another tab.</p>
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
        aria-label="Link to this table"
        onFocus={(event) => event.currentTarget.select()}
      />
      <button type="button" onClick={copy}>
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
