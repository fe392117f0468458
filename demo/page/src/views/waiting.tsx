import { useState } from "preact/hooks";
import { inviteLink, isOnlyHere } from "../app/address";
import type { TableDesk } from "../app/table";
import type { Table } from "../game/table";
import { QrCode } from "./qr";

interface WaitingProps {
  readonly table: Table;
  readonly matchId: string;
  readonly desk: TableDesk;
}

/** The table before the deal: who is missing, and how to bring them. */
export function Waiting({ table, matchId, desk }: WaitingProps) {
  const missing = table.options.maxPlayers - table.players.length;
  const ready = table.players.some((player) => table.yourSeats.includes(player.seat) && player.ready);
  const enough = table.players.length >= table.options.minPlayers;
  return (
    <section class="panel waiting">
      <h2>
        {missing > 0 ? `Waiting for ${missing} more ${missing === 1 ? "player" : "players"}` : "Starting…"}
      </h2>
      <Invitation link={inviteLink(matchId)} />
      {enough && table.yourSeats.length > 0 && (
        <button type="button" class="primary" disabled={ready} onClick={() => desk.ready()}>
          {ready ? "Ready: waiting for the others" : "Start without more players"}
        </button>
      )}
    </section>
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
