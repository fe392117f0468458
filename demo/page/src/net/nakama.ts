/** Nakama client of the page: one authenticated user, RPCs and sockets. */

import { Client, type Session, type Socket } from "@heroiclabs/nakama-js";
import type { GameRecord } from "../game/replay";

/** Much shorter than a reconnect window, so that a client on a dead connection can retry in time. */
const TIMEOUT_MS = 5000;
const NOT_FOUND = 404;
const NAME_ATTEMPTS = 5;

/** Address of a Nakama server. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly serverKey: string;
}

/** Nakama returned an error or cannot be reached. The message is shown to the player. */
class NakamaProblem extends Error {}

/** One user of Nakama. Authenticates before the first request, and again after the session expired. */
export class Nakama {
  private readonly client: Client;
  private session: Session | null = null;

  constructor(
    private readonly address: Address,
    private readonly deviceId: string,
  ) {
    this.client = new Client(
      address.serverKey,
      address.host,
      String(address.port),
      address.secure,
      TIMEOUT_MS,
    );
  }

  /** Calls an RPC of the plugin and returns its response. Throws a NakamaProblem. */
  async rpc<T>(id: string, payload: object): Promise<T> {
    return this.request(async (session) => (await this.client.rpc(session, id, payload)).payload as T);
  }

  /** Sets the username; adds a number if the name is taken. Returns the new name. Throws a NakamaProblem. */
  async rename(wanted: string): Promise<string> {
    for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt += 1) {
      const name = attempt === 0 ? wanted : `${wanted}_${Math.floor(Math.random() * 1000)}`;
      if (await this.tryName(name)) return name;
    }
    throw new NakamaProblem(`The name ${wanted} is taken. Choose another name.`);
  }

  /** Returns the record of a game, or null if it is not written yet. Throws a NakamaProblem. */
  async record(key: string): Promise<GameRecord | null> {
    return this.request(async (session) => {
      try {
        return (await this.client.rpc(session, "set_record", { recordKey: key })).payload as GameRecord;
      } catch (problem) {
        if (problem instanceof Response && problem.status === NOT_FOUND) return null;
        throw problem;
      }
    });
  }

  /** Returns a connected socket. `prepare` adds handlers to it. Throws a NakamaProblem. */
  async socket(prepare: (socket: Socket) => void): Promise<Socket> {
    const socket = this.client.createSocket(this.address.secure, false, undefined, TIMEOUT_MS);
    try {
      await this.request((session) => connect(socket, session));
    } catch (problem) {
      this.session = null;
      throw problem;
    }
    prepare(socket);
    return socket;
  }

  private async tryName(name: string): Promise<boolean> {
    const session = await this.currentSession();
    if (session.username === name) return true;
    try {
      await this.client.updateAccount(session, { username: name });
    } catch (problem) {
      if (problem instanceof Response && problem.status < 500) return false;
      throw await asProblem(problem);
    }
    this.session = null;
    return true;
  }

  private async request<T>(send: (session: Session) => Promise<T>): Promise<T> {
    try {
      return await send(await this.currentSession());
    } catch (problem) {
      throw await asProblem(problem);
    }
  }

  private async currentSession(): Promise<Session> {
    const now = Date.now() / 1000;
    if (this.session === null || this.session.isexpired(now)) this.session = await this.authenticate(now);
    return this.session;
  }

  private async authenticate(now: number): Promise<Session> {
    const old = this.session;
    if (old !== null && !old.isrefreshexpired(now)) {
      const refreshed = await this.client.sessionRefresh(old).catch(() => null);
      if (refreshed !== null) return refreshed;
    }
    return this.client.authenticateDevice(this.deviceId, true);
  }
}

/** Connects with a timeout. Also fails if the socket closes meanwhile: the library reports neither. */
async function connect(socket: Socket, session: Session): Promise<void> {
  const connecting = socket.connect(session, false);
  const failing = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new NakamaProblem("The server cannot be reached."));
    socket.ondisconnect = fail;
    setTimeout(fail, TIMEOUT_MS);
  });
  try {
    await Promise.race([connecting, failing]);
  } catch (problem) {
    connecting.then(() => socket.disconnect(false)).catch(() => undefined);
    throw problem;
  }
}

/** Converts an error of the client library into a NakamaProblem. */
async function asProblem(problem: unknown): Promise<NakamaProblem> {
  if (problem instanceof NakamaProblem) return problem;
  if (problem instanceof Response) return new NakamaProblem(await messageOf(problem));
  const message = (problem as { message?: unknown } | null)?.message;
  return new NakamaProblem(
    typeof message === "string" && message !== "Failed to fetch" ? message : "The server cannot be reached.",
  );
}

async function messageOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { message?: string };
  return body.message?.replace(/^[A-Z_]+: /, "") ?? `The server returned the status ${response.status}.`;
}
