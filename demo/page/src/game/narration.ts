/** Texts for the events of a match: for the list of events and for screen readers. */

import type { BoardExpanded, ClaimResult, Message, Player, PlayerChanged, Slot } from "../protocol/messages";
import { type EndReason, Op, type PlayerChange } from "../protocol/vocabulary";
import { cardName } from "./cards";
import { positionName } from "./grid";
import { type MatchModel, playerIn } from "./match";
import { isolated } from "./names";

/** Event of a match: `text` for the list, `spoken` for screen readers, with all cards and positions. */
export interface MatchEvent {
  readonly text: string;
  readonly spoken: string;
  readonly tone: "good" | "bad" | "plain";
  readonly cardIds: readonly number[];
}

const CHANGES: Readonly<Record<PlayerChange, string>> = {
  PLAYER_CHANGE_JOINED: "joined",
  PLAYER_CHANGE_DISCONNECTED: "lost the connection",
  PLAYER_CHANGE_RECONNECTED: "reconnected",
  PLAYER_CHANGE_FORFEITED: "is out",
  PLAYER_CHANGE_READY: "is ready",
  PLAYER_CHANGE_KICKED: "was removed",
};

const ENDS: Readonly<Record<EndReason, string>> = {
  END_REASON_DECK_EXHAUSTED: "No Set is left",
  END_REASON_NO_SET_ON_FULL_BOARD: "No Set on a full board",
  END_REASON_TIME_UP: "Time is up",
  END_REASON_CLOCK_PENALTY: "A time penalty used up a player's time",
  END_REASON_LAST_PLAYER_STANDING: "All other players are out",
  END_REASON_ABANDONED: "The game was abandoned",
  END_REASON_TERMINATED: "The server stopped the game",
};

/** Returns the event of a message, or undefined if it is none. `match` is the model after the message. */
export function eventOf(message: Message, match: MatchModel): MatchEvent | undefined {
  switch (message.op) {
    case Op.MATCH_STARTED:
      return plain(`Game ${message.body.game}: ${message.body.slots.length} cards are dealt.`);
    case Op.CLAIM_RESULT:
      return claimEvent(message.body, match);
    case Op.BOARD_EXPANDED:
      return expansionEvent(message.body);
    case Op.PLAYER_CHANGED:
      return playerEvent(message.body);
    case Op.MATCH_ENDED:
      return plain(`${endName(message.body.reason)}. The game is over.`);
    case Op.FILL_TIME:
      return plain("There is more time to wait for players.");
    case Op.SERVICE_STATUS:
      return plain(
        message.body.paused
          ? "The match is paused: the game server is not available."
          : "The match continues.",
      );
    default:
      return undefined;
  }
}

/** Returns the reason for the end of a game, in words. */
export function endName(reason: EndReason): string {
  return ENDS[reason];
}

/** Returns whether a seat is the only one of this connection. */
export function isYou(match: MatchModel, seat: number): boolean {
  return match.yourSeats.length === 1 && match.yourSeats[0] === seat;
}

/** Returns the name of a player, isolated from its direction, or "You" for the only player of this connection. */
export function nameOf(match: MatchModel, seat: number): string {
  if (isYou(match, seat)) return "You";
  const username = playerIn(match, seat)?.username;
  return username === undefined ? `Seat ${seat + 1}` : isolated(username);
}

/** Returns names in a list, isolated: "Ann, Bob". */
export function namesOf(players: readonly Player[]): string {
  return players.map(({ username }) => isolated(username)).join(", ");
}

function claimEvent(result: ClaimResult, match: MatchModel): MatchEvent {
  const name = nameOf(match, result.seat);
  const { cardIds } = result;
  const cards = cardIds.map(cardName).join("; ");
  if (!result.valid) {
    const text = `${name}: ${result.message}`;
    return { text, spoken: `${text}. ${cards}.`, tone: "bad", cardIds };
  }
  const text = `${name}: Set!`;
  return { text, spoken: `${text} ${cards}. ${newCards(result.slots)}`, tone: "good", cardIds };
}

function expansionEvent({ slots }: BoardExpanded): MatchEvent {
  const text = "No Set: three more cards.";
  return { text, spoken: `${text} ${newCards(slots)}`, tone: "plain", cardIds: [] };
}

function newCards(slots: readonly Slot[]): string {
  const cards = slots.flatMap(({ index, cardId }) =>
    cardId === undefined ? [] : [`${positionName(index)}: ${cardName(cardId)}`],
  );
  return cards.length > 0 ? `New at ${cards.join("; ")}.` : "No new cards.";
}

function playerEvent({ player, change }: PlayerChanged): MatchEvent {
  return plain(`${isolated(player.username)} ${CHANGES[change]}.`);
}

function plain(text: string): MatchEvent {
  return { text, spoken: text, tone: "plain", cardIds: [] };
}
