/** A place at a match: joins, hands on what the match says, and comes back by itself until it is left. */

import type { Socket } from "@heroiclabs/nakama-js";
import type { Message } from "../protocol/messages";
import { readMessage } from "../protocol/read";
import { Op } from "../protocol/vocabulary";
import { JOINING, type Link, type LinkEvent, next } from "./link";
import type { Nakama } from "./nakama";

const HEARTBEAT_MS = 5000;

export interface Listener {
  onMessage(message: Message): void;
  onLink(link: Link): void;
}

export class MatchSeat {
  private link: Link = JOINING;
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
    window.addEventListener("online", this.hurry);
    void this.join();
  }

  /** Sends to the match, if there is a connection; whatever matters is sent again after the next snapshot. */
  send(op: number, payload = "{}"): void {
    if (this.link.at !== "joined" || this.socket === null) return;
    this.socket.sendMatchState(this.matchId, op, payload).catch(() => undefined);
  }

  /** Tries again now instead of when the wait is over. */
  readonly hurry = (): void => {
    if (this.link.at === "waiting") this.retry();
  };

  /** Leaves the match on purpose: in a running game this forfeits. */
  async leave(): Promise<void> {
    const socket = this.socket;
    this.stop();
    if (socket === null) return;
    await socket.leaveMatch(this.matchId).catch(() => undefined);
    silence(socket);
  }

  private stop(): void {
    this.left = true;
    clearTimeout(this.timer);
    window.removeEventListener("online", this.hurry);
    this.socket = null;
  }

  private async join(): Promise<void> {
    let socket: Socket | null = null;
    try {
      socket = await this.nakama.socket((fresh) => this.listen(fresh));
      this.socket = socket;
      await socket.joinMatch(this.matchId, undefined, this.metadata);
      this.on({ kind: "joined" });
    } catch (problem) {
      if (socket !== this.socket) return;
      this.giveUp(socket, { kind: "refused", reason: reasonOf(problem) });
    }
  }

  /** Handlers are set before joining: the snapshot may come before the answer to the join does. */
  private listen(socket: Socket): void {
    socket.setHeartbeatTimeoutMs(HEARTBEAT_MS);
    socket.onmatchdata = ({ match_id, op_code, data }) => {
      if (match_id === this.matchId && !this.left) this.hear(op_code, data);
    };
    const lost = (): void => this.lose(socket);
    socket.ondisconnect = lost;
    socket.onheartbeattimeout = () => setTimeout(lost);
    socket.onerror = () => undefined;
  }

  private hear(op: number, data: Uint8Array): void {
    const message = readMessage(Number(op), new TextDecoder().decode(data));
    if (message === undefined) this.send(Op.SYNC);
    else this.listener.onMessage(message);
  }

  private lose(socket: Socket): void {
    if (socket === this.socket) this.giveUp(socket, { kind: "lost" });
  }

  private giveUp(socket: Socket | null, event: LinkEvent): void {
    this.socket = null;
    if (socket !== null) silence(socket);
    this.on(event);
  }

  private on(event: LinkEvent): void {
    if (this.left) return;
    this.link = next(this.link, event, Math.random());
    this.listener.onLink(this.link);
    if (this.link.at === "waiting") this.timer = setTimeout(() => this.retry(), this.link.delayMs);
  }

  private retry(): void {
    clearTimeout(this.timer);
    this.on({ kind: "due" });
    void this.join();
  }
}

/** Closes a socket that nobody listens to any more. */
function silence(socket: Socket): void {
  socket.ondisconnect = () => undefined;
  socket.disconnect(false);
}

function reasonOf(problem: unknown): string {
  const message = (problem as { message?: unknown } | null)?.message;
  return typeof message === "string" ? message : "The server cannot be reached.";
}
