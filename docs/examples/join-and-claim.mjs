// Joins a match of SET with the ordinary Nakama client, claims each Set on the board, and prints the result.
//
//   npm ci && node join-and-claim.mjs [host] [port] [options as JSON]
import { Client } from "@heroiclabs/nakama-js";

// Browsers and Node.js from 22 on have a WebSocket; Node.js 20 gets it from the package `ws`.
globalThis.WebSocket ??= (await import("ws")).WebSocket;

const [host = "127.0.0.1", port = "7350", options = '{"mode": "SINGLE_PLAYER"}'] = process.argv.slice(2);
const CLAIM = 1;
const Op = { 101: "SNAPSHOT", 102: "MATCH_STARTED", 103: "CLAIM_RESULT", 104: "CLAIM_REJECTED", 105: "BOARD_EXPANDED", 107: "MATCH_ENDED" };
const RETRY_MS = 50;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

const client = new Client("defaultkey", host, port, false);
const session = await client.authenticateDevice(crypto.randomUUID(), true);
const socket = client.createSocket(false);

let matchId;
let animationMs;
let timer;
let over = false;
const unanswered = new Map(); // claim id -> payload
const board = new Map(); // slot index -> card id

// A card's four attributes are the digits of its id in base 3; three cards are a Set if the sum of each digit is 0 modulo 3.
const digits = (card) => [27, 9, 3, 1].map((place) => Math.floor(card / place) % 3);
const third = (a, b) => digits(a).reduce((id, digit, i) => id * 3 + ((6 - digit - digits(b)[i]) % 3), 0);

function findSet() {
  const cards = [...board.values()];
  for (const [i, a] of cards.entries()) {
    for (const b of cards.slice(i + 1)) {
      const c = third(a, b);
      if (cards.includes(c)) return [a, b, c];
    }
  }
  return null;
}

function claim() {
  const cardIds = findSet();
  if (cardIds === null) return;
  const claimId = crypto.randomUUID();
  unanswered.set(claimId, JSON.stringify({ claimId, cardIds }));
  send(unanswered.get(claimId));
}

// On a lost connection the claim stays in `unanswered` until the reconnect.
function send(payload) {
  socket.sendMatchState(matchId, CLAIM, payload).catch(() => {});
}

// Sends the next claim after a delay. A later change of the board cancels it, so that only one claim is in flight.
function claimAfter(ms) {
  clearTimeout(timer);
  timer = setTimeout(claim, ms);
}

function updateBoard(slots) {
  for (const { index, cardId } of slots) {
    if (cardId === undefined) board.delete(index);
    else board.set(index, cardId);
  }
}

const handlers = {
  SNAPSHOT(message) {
    animationMs = message.options.animationMs;
    board.clear(); // after a crash of Nakama, the last changes can be missing
    updateBoard(message.slots);
    if (message.results) return handlers.MATCH_ENDED(message.results);
    if (message.yourSeats.length > 0) claimAfter((message.lockedUntilMs ?? message.nowMs) - message.nowMs);
  },
  MATCH_STARTED(message) {
    animationMs = message.options.animationMs;
    board.clear();
    updateBoard(message.slots);
    claimAfter(0);
  },
  CLAIM_RESULT(message) {
    unanswered.delete(message.claimId);
    if (!message.valid) return claimAfter(animationMs.invalidSet);
    updateBoard(message.slots);
    claimAfter(animationMs.validSet + animationMs.refill);
  },
  CLAIM_REJECTED({ claimId, reason }) {
    unanswered.delete(claimId);
    if (reason === "CLAIM_REASON_LOCKED") claimAfter(RETRY_MS); // slightly too early; after other reasons, a retry has no effect
  },
  BOARD_EXPANDED(message) {
    updateBoard(message.slots);
    claimAfter(animationMs.expandBoard);
  },
  MATCH_ENDED(message) {
    clearTimeout(timer);
    const { reason, winnerSeat, draw, standings } = message;
    const sets = standings.map(({ player }) => player.setsCollected);
    console.log(JSON.stringify({ user: session.user_id, reason, winnerSeat, draw, sets, left: board.size }));
    over = true;
    socket.disconnect(false);
  },
};

// Before the join: the first message may arrive earlier than the response to the join.
socket.onmatchdata = ({ op_code, data }) => handlers[Op[op_code]]?.(JSON.parse(new TextDecoder().decode(data)));
let reconnecting = false;
socket.ondisconnect = () => {
  if (over) process.exit(0);
  if (!reconnecting) reconnect().catch(exitWithError);
};

// Nakama can restart: join the same match again with the same session. The random pauses keep many clients from connecting at the
// same moments.
async function reconnect() {
  reconnecting = true;
  clearTimeout(timer);
  for (let longest = FIRST_PAUSE_MS; !(await joined()); longest = Math.min(2 * longest, LONGEST_PAUSE_MS)) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
  }
  reconnecting = false;
  for (const payload of unanswered.values()) send(payload); // under their ids, so that each is judged once
}

async function joined() {
  try {
    await socket.connect(session, true);
    await socket.joinMatch(matchId);
    return true;
  } catch (error) {
    // Only an error that Nakama sent has a code.
    if (error.code !== undefined && !error.message.includes("try again")) throw error;
    return false;
  }
}

// A failed RPC rejects with the HTTP response, a failed join with an object. Both have a message for people.
async function exitWithError(error) {
  const { message } = error instanceof Response ? await error.json() : error;
  console.error(message);
  process.exit(1);
}

try {
  await socket.connect(session, true);
  const { payload } = await client.rpc(session, "set_find_match", JSON.parse(options));
  matchId = payload.matchId;
  await socket.joinMatch(matchId);
} catch (error) {
  await exitWithError(error);
}
