/** The ways to play that the lobby offers. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { DailyChallenge } from "../app/daily";
import type { Lobby } from "../app/lobby";
import type { AppState } from "../app/state";
import {
  type BotChoice,
  effective,
  NAME_LENGTH,
  type PenaltyChoice,
  type RuledWay,
  type Way,
} from "../game/options";
import { RankingDialog } from "./daily";
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
  /** Controls above the button. */
  readonly children?: ComponentChildren;
  /** Controls below the button. */
  readonly below?: ComponentChildren;
}

const LIMITS: readonly (readonly [string, string])[] = [
  ["0", "No limit"],
  ["180", "3 minutes"],
  ["300", "5 minutes"],
  ["600", "10 minutes"],
];

const PENALTIES: readonly (readonly [string, string])[] = [
  ["NONE", "None"],
  ["POINT", "1 point"],
];

const LEVELS: readonly (readonly [string, string])[] = [
  ["EASY", "Easy"],
  ["MEDIUM", "Medium"],
  ["HARD", "Hard"],
];

export function FindWay({ children, ...props }: WayProps & { readonly children: ComponentChildren }) {
  return (
    <Frame
      {...props}
      way="find"
      title="Play now"
      about="Play against other players online."
      button="Find a match"
      below={
        <Options>
          <Rules {...props} way="find" />
        </Options>
      }
    >
      {children}
    </Frame>
  );
}

/** The rules of one way to play. A time penalty needs a time limit. */
function Rules({ state, lobby, way }: WayProps & { readonly way: RuledWay }) {
  const { timeLimitSeconds, penalty } = effective(state.preferences.rules[way]);
  const penalties: typeof PENALTIES =
    timeLimitSeconds > 0 ? [...PENALTIES, ["TIME", "5 seconds"]] : PENALTIES;
  return (
    <>
      <Select
        label="Time limit"
        value={String(timeLimitSeconds)}
        choices={LIMITS}
        onChoose={(value) => lobby.setRules(way, { timeLimitSeconds: Number(value) })}
      />
      <Select
        label="Penalty for a mistake"
        value={penalty}
        choices={penalties}
        onChoose={(value) => lobby.setRules(way, { penalty: value as PenaltyChoice })}
      />
    </>
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
      below={
        <Options>
          <Select
            label="Players"
            value={String(state.preferences.players)}
            choices={counts(2, 8)}
            onChoose={(value) => lobby.setPreferences({ players: Number(value) })}
          />
          <Rules {...props} way="friends" />
        </Options>
      }
    />
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
      below={
        <Options>
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
          <Rules {...props} way="bots" />
        </Options>
      }
    />
  );
}

export function DailyWay({ daily, ...props }: WayProps & { readonly daily: DailyChallenge }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Frame
        {...props}
        way="daily"
        title="Today's deck"
        about="The same cards for all players, until midnight UTC."
        button="Play today's deck"
        below={
          <button type="button" class="quiet" onClick={() => setOpen(true)}>
            Ranking
          </button>
        }
      />
      {open && <RankingDialog daily={daily} shown={props.state.daily} onClose={() => setOpen(false)} />}
    </>
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
      about="Select three cards, then tap your own zone."
      button="Play on this device"
      below={
        <Options>
          <Select
            label="Players"
            value={String(names.length)}
            choices={counts(2, 6)}
            onChoose={(value) => resize(Number(value))}
          />
          {names.map((name, seat) => (
            <PlayerName key={seat} seat={seat} name={name} onRename={(newName) => rename(seat, newName)} />
          ))}
          <Rules {...props} way="pass" />
        </Options>
      }
    />
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

function Frame({ state, lobby, way, title, about, button, children, below }: FrameProps) {
  return (
    <section class={`panel way is-${way}`} aria-label={title}>
      <h2>{title}</h2>
      <p>{about}</p>
      {children}
      <button
        type="button"
        class={way === "find" ? "primary" : ""}
        disabled={state.busy !== ""}
        onClick={() => lobby.play(way)}
      >
        {button}
      </button>
      {below}
    </section>
  );
}

/** Controls that are hidden until the player opens them. */
function Options({ children }: { readonly children: ComponentChildren }) {
  return (
    <details>
      <summary>Options</summary>
      <div class="fields">{children}</div>
    </details>
  );
}

function counts(from: number, to: number): [string, string][] {
  return Array.from({ length: to - from + 1 }, (_, i) => [String(from + i), String(from + i)]);
}
