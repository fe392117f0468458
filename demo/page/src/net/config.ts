/** Where this page finds Nakama: on the host that served the page, as `config.json` beside it says. */

import type { Address } from "./nakama";

/** What `config.json` says; what it leaves out is as Nakama has it by default. */
interface Config {
  readonly nakamaPort?: number;
  readonly serverKey?: string;
}

/** Returns Nakama's address; `?nakama=PORT` goes before the configured port. */
export async function findNakama(): Promise<Address> {
  const asked = Number(new URLSearchParams(location.search).get("nakama"));
  const { nakamaPort = 7350, serverKey = "defaultkey" } = await readConfig();
  const secure = location.protocol === "https:";
  return { host: location.hostname, port: asked > 0 ? asked : nakamaPort, secure, serverKey };
}

async function readConfig(): Promise<Config> {
  try {
    return (await (await fetch("config.json")).json()) as Config;
  } catch {
    return {};
  }
}
