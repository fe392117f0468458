import type { DailyChallenge } from "../app/daily";
import type { Lobby } from "../app/lobby";
import type { AppState } from "../app/state";
import { NAME_LENGTH } from "../game/options";
import { showsMarks } from "../game/palettes";
import { CardFace } from "./card";
import { Field } from "./fields";
import { Text } from "./text";
import { TopBar } from "./top";
import { BotsWay, DailyWay, FindWay, FriendsWay, PassWay } from "./ways";

/** Ids of three cards that are a Set. All attributes are different. */
const FAN = [9 + 3 + 2, 27 + 18 + 1, 54 + 6];

interface LobbyProps {
  readonly state: AppState;
  readonly lobby: Lobby;
}

/** The lobby: name and ways to play, or an invitation. */
export function LobbyView({ state, lobby, daily }: LobbyProps & { readonly daily: DailyChallenge }) {
  return (
    <div class="lobby">
      <TopBar settings={state.settings} lobby={lobby} />
      <main>
        <Hero marks={showsMarks(state.settings.palette, state.settings.marks)} />
        {state.problem !== "" && (
          <p class="banner is-bad" key={state.problem}>
            {state.problem}
          </p>
        )}
        {state.rejoin !== "" && <Rejoin state={state} lobby={lobby} />}
        {state.invitation === "" ? (
          <Ways state={state} lobby={lobby} daily={daily} />
        ) : (
          <Invitation state={state} lobby={lobby} />
        )}
        <p class="busy" role="status">
          <Text>{state.busy}</Text>
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

/** Offer to continue a running match, after the browser was closed. */
function Rejoin({ state, lobby }: LobbyProps) {
  return (
    <section class="panel way" aria-label="Running match">
      <h2>You are in a running match</h2>
      <button type="button" disabled={state.busy !== ""} onClick={() => lobby.rejoin()}>
        Rejoin the match
      </button>
    </section>
  );
}

function Invitation({ state, lobby }: LobbyProps) {
  return (
    <section class="panel way" aria-label="Invitation">
      <h2>You are invited to a match</h2>
      <NameField state={state} lobby={lobby} />
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

/** The first action with the name, and the four other ways to play below it. */
function Ways({ state, lobby, daily }: LobbyProps & { readonly daily: DailyChallenge }) {
  return (
    <>
      <FindWay state={state} lobby={lobby}>
        <NameField state={state} lobby={lobby} />
      </FindWay>
      <div class="ways">
        <BotsWay state={state} lobby={lobby} />
        <FriendsWay state={state} lobby={lobby} />
        <DailyWay state={state} lobby={lobby} daily={daily} />
        <PassWay state={state} lobby={lobby} />
      </div>
    </>
  );
}
