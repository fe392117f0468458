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
      about="Against whoever is looking for a game."
      button="Find a table"
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
      about="Invite them by a link or a code."
      button="Set up a table"
    >
      <Select
        label="Players"
        value={String(state.wishes.players)}
        choices={counts(2, 8)}
        onChoose={(value) => lobby.setWishes({ players: Number(value) })}
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
      about="They see the board only, like you."
      button="Play bots"
    >
      <Select
        label="Bots"
        value={String(state.wishes.bots)}
        choices={[["0", "None: practise alone"], ...counts(1, 3)]}
        onChoose={(value) => lobby.setWishes({ bots: Number(value) })}
      />
      <Select
        label="Level"
        value={state.wishes.level}
        choices={LEVELS}
        onChoose={(value) => lobby.setWishes({ level: value as BotChoice })}
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
      about="The same cards for everybody, until midnight UTC."
      button="Play today's deck"
    />
  );
}

export function PassWay(props: WayProps) {
  const { state, lobby } = props;
  const { names } = state.wishes;
  const rename = (place: number, name: string) =>
    lobby.setWishes({ names: names.map((old, i) => (i === place ? name : old)) });
  const resize = (count: number) =>
    lobby.setWishes({ names: Array.from({ length: count }, (_, i) => names[i] ?? `Player ${i + 1}`) });
  return (
    <Frame
      {...props}
      way="pass"
      title="At one screen"
      about="Call first, then choose."
      button="Play at this screen"
    >
      <Select
        label="Players"
        value={String(names.length)}
        choices={counts(2, 6)}
        onChoose={(value) => resize(Number(value))}
      />
      {names.map((name, place) => (
        <NameOf key={place} place={place} name={name} onRename={(fresh) => rename(place, fresh)} />
      ))}
    </Frame>
  );
}

interface NameOfProps {
  readonly place: number;
  readonly name: string;
  onRename(name: string): void;
}

function NameOf({ place, name, onRename }: NameOfProps) {
  const control = (id: string) => (
    <input
      id={id}
      value={name}
      maxLength={NAME_LENGTH}
      onInput={(event) => onRename(event.currentTarget.value)}
    />
  );
  return <Field label={`Name ${place + 1}`} control={control} />;
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
