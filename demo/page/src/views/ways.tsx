/** The ways to play that the lobby offers. */

import type { ComponentChildren } from "preact";
import type { Lobby } from "../app/lobby";
import type { AppState } from "../app/state";
import { type BotChoice, NAME_LENGTH, type Way } from "../game/options";
import { Field, Select } from "./fields";

interface WayProps {
  readonly state: AppState;
  readonly lobby: Lobby;
}

interface FrameProps extends WayProps {
  readonly way: Way;
  readonly title: string;
  readonly about: string;
  readonly button: string;
  readonly children?: ComponentChildren;
}

const LEVELS: readonly (readonly [string, string])[] = [
  ["EASY", "Easy"],
  ["MEDIUM", "Medium"],
  ["HARD", "Hard"],
];

export function FindWay(props: WayProps) {
  return (
    <Frame
      {...props}
      way="find"
      title="Play now"
      about="Play against other players online."
      button="Find a match"
    />
  );
}

export function FriendsWay(props: WayProps) {
  const { state, lobby } = props;
  return (
    <Frame
      {...props}
      way="friends"
      title="With friends"
      about="Invite players by a link or a QR code."
      button="Create a match"
    >
      <Select
        label="Players"
        value={String(state.preferences.players)}
        choices={counts(2, 8)}
        onChoose={(value) => lobby.setPreferences({ players: Number(value) })}
      />
    </Frame>
  );
}

export function BotsWay(props: WayProps) {
  const { state, lobby } = props;
  return (
    <Frame
      {...props}
      way="bots"
      title="Against bots"
      about="Bots see only the board, like you."
      button="Play bots"
    >
      <Select
        label="Bots"
        value={String(state.preferences.bots)}
        choices={[["0", "None: practice alone"], ...counts(1, 3)]}
        onChoose={(value) => lobby.setPreferences({ bots: Number(value) })}
      />
      <Select
        label="Level"
        value={state.preferences.level}
        choices={LEVELS}
        onChoose={(value) => lobby.setPreferences({ level: value as BotChoice })}
      />
    </Frame>
  );
}

export function DailyWay(props: WayProps) {
  return (
    <Frame
      {...props}
      way="daily"
      title="Today's deck"
      about="The same cards for all players, until midnight UTC."
      button="Play today's deck"
    />
  );
}

export function PassWay(props: WayProps) {
  const { state, lobby } = props;
  const { names } = state.preferences;
  const rename = (seat: number, name: string) =>
    lobby.setPreferences({ names: names.map((old, i) => (i === seat ? name : old)) });
  const resize = (count: number) =>
    lobby.setPreferences({ names: Array.from({ length: count }, (_, i) => names[i] ?? `Player ${i + 1}`) });
  return (
    <Frame
      {...props}
      way="pass"
      title="On one device"
      about="Call Set first, then select three cards."
      button="Play on this device"
    >
      <Select
        label="Players"
        value={String(names.length)}
        choices={counts(2, 6)}
        onChoose={(value) => resize(Number(value))}
      />
      {names.map((name, seat) => (
        <PlayerName key={seat} seat={seat} name={name} onRename={(newName) => rename(seat, newName)} />
      ))}
    </Frame>
  );
}

interface PlayerNameProps {
  readonly seat: number;
  readonly name: string;
  onRename(name: string): void;
}

function PlayerName({ seat, name, onRename }: PlayerNameProps) {
  const control = (id: string) => (
    <input
      id={id}
      value={name}
      maxLength={NAME_LENGTH}
      onInput={(event) => onRename(event.currentTarget.value)}
    />
  );
  return <Field label={`Name ${seat + 1}`} control={control} />;
}

function Frame({ state, lobby, way, title, about, button, children }: FrameProps) {
  return (
    <section class={`panel way is-${way}`} aria-label={title}>
      <h2>{title}</h2>
      <p>{about}</p>
      {children && <div class="fields">{children}</div>}
      <button
        type="button"
        class={way === "find" ? "primary" : ""}
        disabled={state.busy !== ""}
        onClick={() => lobby.play(way)}
      >
        {button}
      </button>
    </section>
  );
}

function counts(from: number, to: number): [string, string][] {
  return Array.from({ length: to - from + 1 }, (_, i) => [String(from + i), String(from + i)]);
}
