/** Nakama as this page uses it: one signed-in user, calls, and sockets. */

import { Client, type Session, type Socket } from "@heroiclabs/nakama-js";
import type { GameRecord } from "../game/replay";

/** Far below a reconnect window: whoever waits longer on a dead line cannot try another. */
const ANSWER_WITHIN_MS = 5000;
const NOT_FOUND = 404;
const NAME_ATTEMPTS = 5;

/** Where Nakama is. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly serverKey: string;
}

/** Nakama refused, or could not be reached; the message is for the player. */
export class NakamaProblem extends Error {}

/** One user of one Nakama. Signing in is done when first needed, and again when the session has run out. */
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
      ANSWER_WITHIN_MS,
    );
  }

  /** Calls an RPC of the match service and returns its answer. Throws a NakamaProblem. */
  async rpc<T>(id: string, payload: object): Promise<T> {
    return this.ask(async (session) => (await this.client.rpc(session, id, payload)).payload as T);
  }

  /** Takes a name, or one like it if somebody else has it; returns the name taken. Throws a NakamaProblem. */
  async rename(wanted: string): Promise<string> {
    for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt += 1) {
      const name = attempt === 0 ? wanted : `${wanted}_${Math.floor(Math.random() * 1000)}`;
      if (await this.tryName(name)) return name;
    }
    throw new NakamaProblem(`The name ${wanted} is taken. Choose another.`);
  }

  /** Returns the record of a game, or null while it is not written yet. Throws a NakamaProblem. */
  async record(key: string): Promise<GameRecord | null> {
    return this.ask(async (session) => {
      try {
        return (await this.client.rpc(session, "set_record", { recordKey: key })).payload as GameRecord;
      } catch (problem) {
        if (problem instanceof Response && problem.status === NOT_FOUND) return null;
        throw problem;
      }
    });
  }

  /** Returns a connected socket. Throws a NakamaProblem. */
  async socket(prepare: (socket: Socket) => void): Promise<Socket> {
    const socket = this.client.createSocket(this.address.secure, false, undefined, ANSWER_WITHIN_MS);
    try {
      await this.ask((session) => connected(socket, session));
    } catch (problem) {
      this.session = null;
      throw problem;
    }
    prepare(socket);
    return socket;
  }

  private async tryName(name: string): Promise<boolean> {
    const session = await this.signedIn();
    if (session.username === name) return true;
    try {
      await this.client.updateAccount(session, { username: name });
    } catch (problem) {
      if (problem instanceof Response && problem.status < 500) return false;
      throw await explained(problem);
    }
    this.session = null;
    return true;
  }

  private async ask<T>(question: (session: Session) => Promise<T>): Promise<T> {
    try {
      return await question(await this.signedIn());
    } catch (problem) {
      throw await explained(problem);
    }
  }

  private async signedIn(): Promise<Session> {
    const now = Date.now() / 1000;
    if (this.session === null || this.session.isexpired(now)) this.session = await this.signIn(now);
    return this.session;
  }

  private async signIn(now: number): Promise<Session> {
    const old = this.session;
    if (old !== null && !old.isrefreshexpired(now)) {
      const refreshed = await this.client.sessionRefresh(old).catch(() => null);
      if (refreshed !== null) return refreshed;
    }
    return this.client.authenticateDevice(this.deviceId, true);
  }
}

/** Connects; gives up when the socket is closed meanwhile or takes too long: the library tells neither. */
async function connected(socket: Socket, session: Session): Promise<void> {
  const connecting = socket.connect(session, false);
  const failing = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new NakamaProblem("The server cannot be reached."));
    socket.ondisconnect = fail;
    setTimeout(fail, ANSWER_WITHIN_MS);
  });
  try {
    await Promise.race([connecting, failing]);
  } catch (problem) {
    connecting.then(() => socket.disconnect(false)).catch(() => undefined);
    throw problem;
  }
}

/** Turns whatever the client library throws into something to read. */
async function explained(problem: unknown): Promise<NakamaProblem> {
  if (problem instanceof NakamaProblem) return problem;
  if (problem instanceof Response) return new NakamaProblem(await messageOf(problem));
  const message = (problem as { message?: unknown } | null)?.message;
  return new NakamaProblem(
    typeof message === "string" && message !== "Failed to fetch" ? message : "The server cannot be reached.",
  );
}

async function messageOf(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => ({}))) as { message?: string };
  return body.message?.replace(/^[A-Z_]+: /, "") ?? `The server answered ${answer.status}.`;
}
