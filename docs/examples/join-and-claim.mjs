// Joins a match of SET with the ordinary Nakama client, claims every Set that it sees, and prints the result.
//
//   npm ci && node join-and-claim.mjs [host] [port] [options as JSON]
import { Client } from "@heroiclabs/nakama-js";

// Browsers and Node.js from 22 on have a WebSocket; Node.js 20 takes it from the package `ws`.
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

// A card's four attributes are the digits of its id in base 3; three cards are a Set if every digit's sum is 0 modulo 3.
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

// One claim is on its way at a time; what happens on the board puts it off.
function claimAfter(ms) {
  clearTimeout(timer);
  timer = setTimeout(claim, ms);
}

function put(slots) {
  for (const { index, cardId } of slots) {
    if (cardId === undefined) board.delete(index);
    else board.set(index, cardId);
  }
}

const handlers = {
  SNAPSHOT(told) {
    animationMs = told.options.animationMs;
    board.clear(); // after a crash of Nakama, the last changes can be missing
    put(told.slots);
    if (told.results) return handlers.MATCH_ENDED(told.results);
    if (told.yourSeats.length > 0) claimAfter((told.lockedUntilMs ?? told.nowMs) - told.nowMs);
  },
  MATCH_STARTED(told) {
    animationMs = told.options.animationMs;
    board.clear();
    put(told.slots);
    claimAfter(0);
  },
  CLAIM_RESULT(told) {
    unanswered.delete(told.claimId);
    if (!told.valid) return claimAfter(animationMs.invalidSet);
    put(told.slots);
    claimAfter(animationMs.validSet + animationMs.refill);
  },
  CLAIM_REJECTED({ claimId, reason }) {
    unanswered.delete(claimId);
    if (reason === "CLAIM_REASON_LOCKED") claimAfter(RETRY_MS); // a little too early; after other reasons it would not help
  },
  BOARD_EXPANDED(told) {
    put(told.slots);
    claimAfter(animationMs.expandBoard);
  },
  MATCH_ENDED(told) {
    clearTimeout(timer);
    const { reason, winnerSeat, draw, standings } = told;
    const sets = standings.map(({ player }) => player.setsCollected);
    console.log(JSON.stringify({ user: session.user_id, reason, winnerSeat, draw, sets, left: board.size }));
    over = true;
    socket.disconnect(false);
  },
};

// Before joining: the first message may come earlier than the answer to the join.
socket.onmatchdata = ({ op_code, data }) => handlers[Op[op_code]]?.(JSON.parse(new TextDecoder().decode(data)));
let reconnecting = false;
socket.ondisconnect = () => {
  if (over) process.exit(0);
  if (!reconnecting) reconnect().catch(giveUp);
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
  } catch (refusal) {
    // Only an answer of Nakama has a code.
    if (refusal.code !== undefined && !refusal.message.includes("try again")) throw refusal;
    return false;
  }
}

// An RPC that is refused rejects with the HTTP response, a join with an object; either has a message for people.
async function giveUp(refusal) {
  const { message } = refusal instanceof Response ? await refusal.json() : refusal;
  console.error(message);
  process.exit(1);
}

try {
  await socket.connect(session, true);
  const { payload } = await client.rpc(session, "set_find_match", JSON.parse(options));
  matchId = payload.matchId;
  await socket.joinMatch(matchId);
} catch (refusal) {
  await giveUp(refusal);
}
