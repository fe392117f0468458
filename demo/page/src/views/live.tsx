import type { AppState } from "../app/state";

/** What happens, for those who listen: game events politely, trouble at once. */
export function LiveRegion({ state }: { readonly state: AppState }) {
  const latest = state.news[0];
  return (
    <div class="unseen">
      <div role="status" aria-live="polite" data-testid="spoken">
        {latest && <p key={latest.id}>{latest.spoken}</p>}
      </div>
      <div role="alert">{state.problem}</div>
    </div>
  );
}
