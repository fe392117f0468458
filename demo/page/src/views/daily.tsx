/** Ranking of the daily challenge: in the lobby, and with the result of a game. */

import { useEffect, useState } from "preact/hooks";
import { inviteLink } from "../app/address";
import type { DailyChallenge, DailyState } from "../app/daily";
import { minutes } from "../game/clock";
import { type DailyLine, setsText, shareText } from "../game/daily";
import type { Results } from "../protocol/messages";
import { CopyText } from "./copy";
import { Dialog } from "./dialog";
import { Name, Text } from "./text";

interface DailyProps {
  readonly daily: DailyChallenge;
  readonly shown: DailyState | null;
}

/** Dialog with today's ranking and the player's results of the last days. */
export function RankingDialog({ daily, shown, onClose }: DailyProps & { onClose(): void }) {
  useEffect(() => void daily.load(), [daily]);
  return (
    <Dialog title="Today's deck" onClose={onClose}>
      {shown === null ? <p>Loading the ranking…</p> : <RankingAndHistory shown={shown} />}
      <form method="dialog">
        <button type="submit" class="primary">
          Close
        </button>
      </form>
    </Dialog>
  );
}

function RankingAndHistory({ shown }: { readonly shown: DailyState }) {
  return (
    <>
      <Ranking shown={shown} />
      {shown.history.length > 0 && (
        <section class="history" aria-label="Your last days">
          <h3>Your last days</h3>
          <ul>
            {shown.history.map(({ day, place, sets, durationMs }) => (
              <li key={day}>
                <span>{day}</span>
                <Text>{`${setsText(sets)} in ${minutes(durationMs)}`}</Text>
                <Text>{`place ${place}`}</Text>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The best results of a day, and the place of this player. */
function Ranking({ shown }: { readonly shown: DailyState }) {
  if (shown.lines.length === 0) return <p>Nobody has finished today's deck yet.</p>;
  return (
    <ol class="ranking" aria-label={`Ranking of ${shown.day}`}>
      {shown.lines.map((line) => (
        <Line key={line.userId} line={line} isYou={line.userId === shown.own?.userId} />
      ))}
    </ol>
  );
}

function Line({ line, isYou }: { readonly line: DailyLine; readonly isYou: boolean }) {
  return (
    <li class={isYou ? "is-you" : ""}>
      <Text>{`${line.place}.`}</Text>
      <span class="name">
        <Name>{line.name}</Name>
        {isYou && <span class="note"> you</span>}
      </span>
      <Text>{setsText(line.sets)}</Text>
      <Text>{minutes(line.durationMs)}</Text>
    </li>
  );
}

/** The ranking after a game of today's deck, and a text to share without cards. */
export function DailyResult({ results, daily, shown }: DailyProps & { readonly results: Results }) {
  const [sharing, setSharing] = useState(false);
  useEffect(() => void daily.loadResult(), [daily]);
  const sets = results.standings[0]?.player.setsCollected ?? 0;
  const text = (state: DailyState) =>
    shareText(state.day, sets, results.durationMs, state.own?.place ?? 0, inviteLink(""));
  return (
    <section class="daily" aria-label="Today's ranking">
      {shown === null ? <p>Loading the ranking…</p> : <Ranking shown={shown} />}
      {shown !== null && !sharing && (
        <button type="button" onClick={() => setSharing(true)}>
          Share
        </button>
      )}
      {shown !== null && sharing && <CopyText text={text(shown)} label="Text to share" kind="text" />}
    </section>
  );
}
