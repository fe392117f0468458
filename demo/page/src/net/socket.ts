/** Socket in one match: joins, passes messages to a listener, and reconnects automatically until the player leaves. */

import type { Socket } from "@heroiclabs/nakama-js";
import type { Message } from "../protocol/messages";
import { readMessage } from "../protocol/read";
import { Op } from "../protocol/vocabulary";
import { type ConnectionEvent, type ConnectionState, JOINING, next } from "./connection";
import type { Nakama } from "./nakama";

const HEARTBEAT_MS = 5000;

interface Listener {
  onMessage(message: Message): void;
  onConnection(state: ConnectionState): void;
}

export class MatchSocket {
  private state: ConnectionState = JOINING;
  private socket: Socket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private left = false;
  private readonly matchId: string;
  private readonly metadata: Record<string, string>;

  /** `address` is the id of the match, or `ID/INVITATION` of a private match. */
  constructor(
    private readonly nakama: Nakama,
    address: string,
    private readonly listener: Listener,
  ) {
    const [matchId = "", invitation] = address.split("/");
    this.matchId = matchId;
    this.metadata = invitation === undefined ? {} : { invitation };
    window.addEventListener("online", this.retryNow);
    void this.join();
  }

  /** Sends a message, or drops it without a connection. The caller sends claims again after the next snapshot. */
  send(op: number, payload = "{}"): void {
    if (this.state.at !== "joined" || this.socket === null) return;
    this.socket.sendMatchState(this.matchId, op, payload).catch(() => undefined);
  }

  /** Retries immediately, without the rest of the delay. */
  readonly retryNow = (): void => {
    if (this.state.at === "waiting") this.retry();
  };

  /** Leaves the match intentionally. In a running game the player forfeits. */
  async leave(): Promise<void> {
    const socket = this.socket;
    this.stop();
    if (socket === null) return;
    await socket.leaveMatch(this.matchId).catch(() => undefined);
    closeQuietly(socket);
  }

  private stop(): void {
    this.left = true;
    clearTimeout(this.timer);
    window.removeEventListener("online", this.retryNow);
    this.socket = null;
  }

  private async join(): Promise<void> {
    let socket: Socket | null = null;
    try {
      socket = await this.nakama.socket((created) => this.addHandlers(created));
      if (this.left) return closeQuietly(socket);
      this.socket = socket;
      await socket.joinMatch(this.matchId, undefined, this.metadata);
      this.dispatch({ kind: "joined" });
    } catch (problem) {
      if (socket !== this.socket) return;
      this.fail(socket, { kind: "rejected", reason: reasonOf(problem) });
    }
  }

  /** Sets the handlers before the join, because the snapshot can arrive before the response to the join. */
  private addHandlers(socket: Socket): void {
    socket.setHeartbeatTimeoutMs(HEARTBEAT_MS);
    socket.onmatchdata = ({ match_id, op_code, data }) => {
      if (match_id === this.matchId && !this.left) this.receive(op_code, data);
    };
    const onLost = (): void => this.onDisconnect(socket);
    socket.ondisconnect = onLost;
    socket.onheartbeattimeout = () => setTimeout(onLost);
    socket.onerror = () => undefined;
  }

  private receive(op: number, data: Uint8Array): void {
    const message = readMessage(Number(op), new TextDecoder().decode(data));
    if (message === undefined) this.send(Op.SYNC);
    else this.listener.onMessage(message);
  }

  private onDisconnect(socket: Socket): void {
    if (socket === this.socket) this.fail(socket, { kind: "lost" });
  }

  private fail(socket: Socket | null, event: ConnectionEvent): void {
    this.socket = null;
    if (socket !== null) closeQuietly(socket);
    this.dispatch(event);
  }

  private dispatch(event: ConnectionEvent): void {
    if (this.left) return;
    this.state = next(this.state, event, Math.random());
    this.listener.onConnection(this.state);
    if (this.state.at === "waiting") this.timer = setTimeout(() => this.retry(), this.state.delayMs);
  }

  private retry(): void {
    clearTimeout(this.timer);
    this.dispatch({ kind: "retry" });
    void this.join();
  }
}

/** Closes a socket without a disconnect event. */
function closeQuietly(socket: Socket): void {
  socket.ondisconnect = () => undefined;
  socket.disconnect(false);
}

function reasonOf(problem: unknown): string {
  const message = (problem as { message?: unknown } | null)?.message;
  return typeof message === "string" ? message : "The server cannot be reached.";
}
