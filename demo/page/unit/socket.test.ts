import type { Socket } from "@heroiclabs/nakama-js";
import { afterEach, expect, test, vi } from "vitest";
import type { Nakama } from "../src/net/nakama";
import { MatchSocket } from "../src/net/socket";

afterEach(() => vi.unstubAllGlobals());

test("leaving while the socket connects closes it without a join", async () => {
  vi.stubGlobal("window", { addEventListener: vi.fn(), removeEventListener: vi.fn() });
  const socket = { joinMatch: vi.fn(), disconnect: vi.fn() };
  let connected: (socket: Socket) => void = () => undefined;
  const connecting = new Promise<Socket>((resolve) => {
    connected = resolve;
  });
  const nakama = { socket: () => connecting } as unknown as Nakama;
  const match = new MatchSocket(nakama, "match", { onMessage: vi.fn(), onConnection: vi.fn() });
  await match.leave();
  connected(socket as unknown as Socket);
  await vi.waitFor(() => expect(socket.disconnect).toHaveBeenCalledOnce());
  expect(socket.joinMatch).not.toHaveBeenCalled();
});
