/** Address of Nakama: the host that served the page, with the port in `config.json`. */

import type { Address } from "./nakama";

/** Content of `config.json`. Missing fields have Nakama's default values. */
interface Config {
  readonly nakamaPort?: number;
  readonly serverKey?: string;
}

/** Returns Nakama's address. `?nakama=PORT` in the page's address overrides the configured port. */
export async function findNakama(): Promise<Address> {
  const requested = Number(new URLSearchParams(location.search).get("nakama"));
  const { nakamaPort = 7350, serverKey = "defaultkey" } = await readConfig();
  const secure = location.protocol === "https:";
  return { host: location.hostname, port: requested > 0 ? requested : nakamaPort, secure, serverKey };
}

async function readConfig(): Promise<Config> {
  try {
    return (await (await fetch("config.json")).json()) as Config;
  } catch {
    return {};
  }
}
