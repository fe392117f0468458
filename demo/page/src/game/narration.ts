/** What happens, in words: for the list of events and for those who listen to the page. */

import type { BoardExpanded, ClaimResult, Message, PlayerChanged, Slot } from "../protocol/messages";
import { type EndReason, Op, type PlayerChange } from "../protocol/vocabulary";
import { cardName } from "./cards";
import { placeName } from "./grid";
import { playerIn, type Table } from "./table";

/** One thing that happened: `text` to read, `spoken` with everything a listener needs. */
export interface News {
  readonly text: string;
  readonly spoken: string;
  readonly tone: "good" | "bad" | "plain";
  readonly cardIds: readonly number[];
}

const CHANGES: Readonly<Record<PlayerChange, string>> = {
  PLAYER_CHANGE_JOINED: "sits down",
  PLAYER_CHANGE_DISCONNECTED: "lost the connection",
  PLAYER_CHANGE_RECONNECTED: "is back",
  PLAYER_CHANGE_FORFEITED: "is out",
  PLAYER_CHANGE_READY: "is ready",
  PLAYER_CHANGE_KICKED: "was removed",
};

const ENDS: Readonly<Record<EndReason, string>> = {
  END_REASON_DECK_EXHAUSTED: "No Set is left",
  END_REASON_NO_SET_ON_FULL_BOARD: "No Set on a full board",
  END_REASON_TIME_UP: "Time is up",
  END_REASON_CLOCK_PENALTY: "A penalty used up a clock",
  END_REASON_LAST_PLAYER_STANDING: "Everybody else is out",
  END_REASON_ABANDONED: "The game was abandoned",
  END_REASON_TERMINATED: "The game was stopped by the server",
};

/** Returns what a message has to tell, given the table after it; nothing for what is no news. */
export function tell(message: Message, table: Table): News | undefined {
  switch (message.op) {
    case Op.MATCH_STARTED:
      return plain(`Game ${message.body.game}: ${message.body.slots.length} cards are dealt.`);
    case Op.CLAIM_RESULT:
      return claimed(message.body, table);
    case Op.BOARD_EXPANDED:
      return expanded(message.body);
    case Op.PLAYER_CHANGED:
      return changed(message.body);
    case Op.MATCH_ENDED:
      return plain(`${endName(message.body.reason)}. The game is over.`);
    case Op.FILL_TIME:
      return plain("There is more time to wait for players.");
    case Op.SERVICE_STATUS:
      return plain(
        message.body.paused ? "The referee is away; the match stands still." : "The referee is back.",
      );
    default:
      return undefined;
  }
}

/** Returns why a game ended, in words. */
export function endName(reason: EndReason): string {
  return ENDS[reason];
}

/** Returns what a player is called: their name, or "You". */
export function nameOf(table: Table, seat: number): string {
  const single = table.yourSeats.length === 1 && table.yourSeats[0] === seat;
  return single ? "You" : (playerIn(table, seat)?.username ?? `Seat ${seat + 1}`);
}

function claimed(told: ClaimResult, table: Table): News {
  const name = nameOf(table, told.seat);
  const cards = told.cardIds.map(cardName).join("; ");
  if (!told.valid) {
    return {
      text: `${name}: ${told.message}`,
      spoken: `${name}: ${told.message}. ${cards}.`,
      tone: "bad",
      cardIds: told.cardIds,
    };
  }
  const text = `${name}: Set!`;
  return { text, spoken: `${text} ${cards}. ${arrivals(told.slots)}`, tone: "good", cardIds: told.cardIds };
}

function expanded(told: BoardExpanded): News {
  const text = "No Set: three more cards.";
  return { text, spoken: `${text} ${arrivals(told.slots)}`, tone: "plain", cardIds: [] };
}

function arrivals(slots: readonly Slot[]): string {
  const new_ = slots.flatMap(({ index, cardId }) =>
    cardId === undefined ? [] : [`${placeName(index)}: ${cardName(cardId)}`],
  );
  return new_.length > 0 ? `New at ${new_.join("; ")}.` : "No new cards.";
}

function changed(told: PlayerChanged): News {
  return plain(`${told.player.username} ${CHANGES[told.change]}.`);
}

function plain(text: string): News {
  return { text, spoken: text, tone: "plain", cardIds: [] };
}
