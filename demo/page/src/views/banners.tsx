import type { MatchController } from "../app/controller";
import type { AppState } from "../app/state";

interface BannersProps {
  readonly state: AppState;
  readonly controller: MatchController;
}

/** Problems of the match: no connection, an outage, a rejected message. */
export function Banners({ state, controller }: BannersProps) {
  const { connection, match, problem } = state;
  return (
    <div class="banners">
      {connection.at === "waiting" && (
        <LostBanner reason={connection.reason} onRetry={() => controller.retryNow()} />
      )}
      {match?.closed === true && (
        <p class="banner is-bad">The game server is not available. This match is closed.</p>
      )}
      {match?.paused === true && !match.closed && (
        <p class="banner is-paused" role="status">
          The game server is not available. The match is paused; your claims are kept and judged later.
        </p>
      )}
      {problem !== "" && (
        <p class="banner is-bad" key={problem}>
          {problem}
        </p>
      )}
    </div>
  );
}

function LostBanner({ reason, onRetry }: { readonly reason: string; onRetry(): void }) {
  return (
    <div class="banner is-lost" role="status">
      <p key={reason}>Reconnecting automatically: {reason}</p>
      <button type="button" class="quiet" onClick={onRetry}>
        Retry now
      </button>
    </div>
  );
}
