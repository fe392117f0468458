import type { AppState } from "../app/state";
import type { TableDesk } from "../app/table";

interface BannersProps {
  readonly state: AppState;
  readonly desk: TableDesk;
}

/** Trouble that a player should see: no connection, no referee, a message that was not taken. */
export function Banners({ state, desk }: BannersProps) {
  const { link, table, problem } = state;
  return (
    <div class="banners">
      {link.at === "waiting" && <LostBanner why={link.why} onRetry={() => desk.retryNow()} />}
      {table?.closed === true && <p class="banner is-bad">The referee stayed away; this match is closed.</p>}
      {table?.paused === true && !table.closed && (
        <p class="banner is-paused" role="status">
          The referee is away. The match stands still; claims are kept and will be judged.
        </p>
      )}
      {problem !== "" && <p class="banner is-bad">{problem}</p>}
    </div>
  );
}

function LostBanner({ why, onRetry }: { readonly why: string; onRetry(): void }) {
  return (
    <div class="banner is-lost" role="status">
      <p>{why} Coming back by itself…</p>
      <button type="button" class="quiet" onClick={onRetry}>
        Try now
      </button>
    </div>
  );
}
