import type { AppState } from "../app/state";

/** Live regions for screen readers: events are announced politely, problems immediately. */
export function LiveRegion({ state }: { readonly state: AppState }) {
  const latest = state.events[0];
  return (
    <div class="unseen">
      <div role="status" aria-live="polite" data-testid="spoken">
        {latest && <p key={latest.id}>{latest.spoken}</p>}
      </div>
      <div role="alert">{state.problem !== "" && <p key={state.problem}>{state.problem}</p>}</div>
    </div>
  );
}
