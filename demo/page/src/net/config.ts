/** Where this page finds Nakama: on the machine that served the page, at the port that `config.json` names. */

import type { Address } from "./nakama";

const USUAL_PORT = 7350;

/** Returns Nakama's address; `?nakama=PORT` goes before `config.json`. */
export async function findNakama(): Promise<Address> {
  const asked = Number(new URLSearchParams(location.search).get("nakama"));
  const port = asked > 0 ? asked : await configuredPort();
  return { host: location.hostname, port, secure: location.protocol === "https:" };
}

async function configuredPort(): Promise<number> {
  try {
    const config = (await (await fetch("config.json")).json()) as { nakamaPort?: number };
    return config.nakamaPort ?? USUAL_PORT;
  } catch {
    return USUAL_PORT;
  }
}
