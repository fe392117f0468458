import type { Lobby } from "../app/lobby";
import type { AppState } from "../app/state";
import { NAME_LENGTH, type PenaltyChoice } from "../game/options";
import { showsMarks } from "../game/palettes";
import { CardFace } from "./card";
import { Field, Select } from "./fields";
import { TopBar } from "./top";
import { BotsWay, DailyWay, FindWay, FriendsWay, PassWay } from "./ways";

/** Ids of three cards that are a Set. All attributes are different. */
const FAN = [9 + 3 + 2, 27 + 18 + 1, 54 + 6];

const LIMITS: readonly (readonly [string, string])[] = [
  ["0", "No limit"],
  ["180", "3 minutes"],
  ["300", "5 minutes"],
  ["600", "10 minutes"],
];

interface LobbyProps {
  readonly state: AppState;
  readonly lobby: Lobby;
}

/** The lobby: name, rules and ways to play, or an invitation. */
export function LobbyView({ state, lobby }: LobbyProps) {
  return (
    <div class="lobby">
      <TopBar settings={state.settings} lobby={lobby} />
      <main>
        <Hero marks={showsMarks(state.settings.palette, state.settings.marks)} />
        {state.problem !== "" && <p class="banner is-bad">{state.problem}</p>}
        <div class="preferences">
          <NameField state={state} lobby={lobby} />
          {state.invitation === "" && <Rules state={state} lobby={lobby} />}
        </div>
        {state.invitation === "" ? (
          <Ways state={state} lobby={lobby} />
        ) : (
          <Invitation state={state} lobby={lobby} />
        )}
        <p class="busy" role="status">
          {state.busy}
        </p>
      </main>
    </div>
  );
}

function Hero({ marks }: { readonly marks: boolean }) {
  return (
    <div class="hero">
      <div class="fan">
        {FAN.map((id) => (
          <span key={id} class="card">
            <CardFace id={id} marks={marks} />
          </span>
        ))}
      </div>
      <p>
        Three cards are a <strong>Set</strong> if number, shape, color and shading are each all the same or
        all different. Be the first to find one.
      </p>
    </div>
  );
}

function NameField({ state, lobby }: LobbyProps) {
  const control = (id: string) => (
    <input
      id={id}
      value={state.name}
      maxLength={NAME_LENGTH}
      placeholder="Guest"
      autocomplete="nickname"
      onInput={(event) => lobby.setName(event.currentTarget.value)}
    />
  );
  return <Field label="Your name" control={control} />;
}

function Invitation({ state, lobby }: LobbyProps) {
  return (
    <section class="panel way" aria-label="Invitation">
      <h2>You are invited to a match</h2>
      <div class="row">
        <button type="button" class="primary" disabled={state.busy !== ""} onClick={() => lobby.accept()}>
          Join
        </button>
        <button type="button" onClick={() => lobby.dismissInvitation()}>
          Go to the lobby
        </button>
      </div>
    </section>
  );
}

function Ways({ state, lobby }: LobbyProps) {
  return (
    <div class="ways">
      <FindWay state={state} lobby={lobby} />
      <BotsWay state={state} lobby={lobby} />
      <FriendsWay state={state} lobby={lobby} />
      <DailyWay state={state} lobby={lobby} />
      <PassWay state={state} lobby={lobby} />
    </div>
  );
}

function Rules({ state, lobby }: LobbyProps) {
  const { timeLimitSeconds, penalty } = state.preferences;
  const penalties: [string, string][] = [
    ["NONE", "None"],
    ["POINT", "1 point"],
    ["TIME", "5 seconds"],
  ];
  const offered = timeLimitSeconds > 0 ? penalties : penalties.slice(0, 2);
  return (
    <>
      <Select
        label="Time limit"
        value={String(timeLimitSeconds)}
        choices={LIMITS}
        onChoose={(value) => lobby.setPreferences({ timeLimitSeconds: Number(value) })}
      />
      <Select
        label="Penalty for a mistake"
        value={penalty === "TIME" && timeLimitSeconds === 0 ? "NONE" : penalty}
        choices={offered}
        onChoose={(value) => lobby.setPreferences({ penalty: value as PenaltyChoice })}
      />
    </>
  );
}
