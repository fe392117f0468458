/** Nakama client of the page: one authenticated user, RPCs and sockets. */

import { Client, type LeaderboardRecord, type Session, type Socket } from "@heroiclabs/nakama-js";

/** Much shorter than a reconnect window, so that a client on a dead connection can retry in time. */
const TIMEOUT_MS = 5000;
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;
/** Part of Nakama's message about a username of another user. Its status is 400, as for other invalid values. */
const TAKEN = "already in use";
const NAME_ATTEMPTS = 5;

/** Address of a Nakama server. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly serverKey: string;
}

/** A server and a user. */
export interface Account {
  readonly address: Address;
  readonly deviceId: string;
}

/** Part of a leaderboard. */
export interface Ranking {
  readonly best: readonly LeaderboardRecord[];
  readonly own: LeaderboardRecord | null;
}

/** Nakama returned an error or cannot be reached. The message is shown to the player. */
class NakamaProblem extends Error {}

/**
 * One user of Nakama. Authenticates before the first request, after the session expired, and once again if Nakama
 * rejects the session.
 */
export class Nakama {
  private session: Session | null = null;
  private client: Client | null = null;

  /** `account` is awaited by the first request, so that the page is usable before. */
  constructor(private readonly account: Promise<Account>) {}

  /** Calls an RPC of the plugin and returns its response. Throws a NakamaProblem. */
  async rpc<T>(id: string, payload: object): Promise<T> {
    return this.request(async (client, session) => (await client.rpc(session, id, payload)).payload as T);
  }

  /** As `rpc`, but returns null for the status 404: nothing exists, or the server has no such RPC. */
  async find<T>(id: string, payload: object): Promise<T | null> {
    return this.request((client, session) =>
      orNull(client.rpc(session, id, payload).then((response) => response.payload as T)),
    );
  }

  /** Sets the username; adds a number if the name is taken. Returns the new name. Throws a NakamaProblem. */
  async rename(wanted: string): Promise<string> {
    for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt += 1) {
      const name = attempt === 0 ? wanted : `${wanted}_${Math.floor(Math.random() * 1000)}`;
      if (await this.request((client, session) => this.tryName(client, session, name))) return name;
    }
    throw new NakamaProblem(`The name ${wanted} is taken. Choose another name.`);
  }

  /**
   * Returns the best records of a leaderboard and the record of this user; null if the leaderboard does not exist yet.
   * Throws a NakamaProblem.
   */
  async ranking(leaderboard: string, limit: number): Promise<Ranking | null> {
    return this.request(async (client, session) => {
      const owners = session.user_id === undefined ? [] : [session.user_id];
      const list = await orNull(client.listLeaderboardRecords(session, leaderboard, owners, limit));
      return list && { best: list.records ?? [], own: list.owner_records?.[0] ?? null };
    });
  }

  /** Returns a connected socket. `prepare` adds handlers to it. Throws a NakamaProblem. */
  async socket(prepare: (socket: Socket) => void): Promise<Socket> {
    try {
      const { address } = await this.account;
      const client = await this.connectedClient();
      const socket = client.createSocket(address.secure, false, undefined, TIMEOUT_MS);
      await connect(socket, await this.currentSession(client));
      prepare(socket);
      return socket;
    } catch (problem) {
      this.session = null;
      throw await asProblem(problem);
    }
  }

  /** Returns whether the user has the name now; false if it is taken. */
  private async tryName(client: Client, session: Session, name: string): Promise<boolean> {
    if (session.username === name) return true;
    try {
      await client.updateAccount(session, { username: name });
    } catch (problem) {
      if (problem instanceof Response && (await messageOf(problem.clone())).includes(TAKEN)) return false;
      throw problem;
    }
    this.session = null;
    return true;
  }

  /** Sends a request, and again with a new session if Nakama rejects the session. Throws a NakamaProblem. */
  private async request<T>(send: (client: Client, session: Session) => Promise<T>): Promise<T> {
    try {
      const client = await this.connectedClient();
      try {
        return await send(client, await this.currentSession(client));
      } catch (problem) {
        if (!(problem instanceof Response && problem.status === UNAUTHORIZED)) throw problem;
        this.session = null;
        return await send(client, await this.currentSession(client));
      }
    } catch (problem) {
      throw await asProblem(problem);
    }
  }

  private async connectedClient(): Promise<Client> {
    const { address } = await this.account;
    const { serverKey, host, port, secure } = address;
    this.client ??= new Client(serverKey, host, String(port), secure, TIMEOUT_MS);
    return this.client;
  }

  private async currentSession(client: Client): Promise<Session> {
    const now = Date.now() / 1000;
    if (this.session === null || this.session.isexpired(now))
      this.session = await this.authenticate(client, now);
    return this.session;
  }

  private async authenticate(client: Client, now: number): Promise<Session> {
    const old = this.session;
    if (old !== null && !old.isrefreshexpired(now)) {
      const refreshed = await client.sessionRefresh(old).catch(() => null);
      if (refreshed !== null) return refreshed;
    }
    return client.authenticateDevice((await this.account).deviceId, true);
  }
}

/** Returns the response, or null for the status 404. */
async function orNull<T>(response: Promise<T>): Promise<T | null> {
  try {
    return await response;
  } catch (problem) {
    if (problem instanceof Response && problem.status === NOT_FOUND) return null;
    throw problem;
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
