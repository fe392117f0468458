/** What the lobby does: take a name, get a match, sit down at it. */

import { asUsername, optionsFor, type Way, type Wishes } from "../game/options";
import type { Nakama } from "../net/nakama";
import { matchOf, showMatch } from "./address";
import { recallMatch, rememberName, rememberSettings, rememberWishes } from "./memory";
import type { AppState, Settings } from "./state";
import type { Store } from "./store";
import type { TableDesk } from "./table";

const WAITING: Readonly<Record<Way, string>> = {
  find: "Looking for a table…",
  friends: "Setting up a table…",
  bots: "Setting up a table…",
  daily: "Dealing today's deck…",
  pass: "Setting up a table…",
};

/** The answer of the RPCs that create a match; only a private match has an invitation. */
interface CreatedMatch {
  readonly matchId: string;
  readonly invitation?: string;
}

export class Lobby {
  constructor(
    private readonly store: Store<AppState>,
    private readonly nakama: Nakama,
    private readonly table: TableDesk,
  ) {}

  /** A player who returns after a reload sits down again; anybody else sees the invitation of the address. */
  open(returning: boolean): void {
    window.addEventListener("hashchange", () => this.invite());
    const invitation = matchOf(location.hash);
    const before = returning ? recallMatch() : "";
    if (before !== "" && (invitation === "" || invitation === before)) this.table.sit(before);
    else this.store.set({ invitation });
  }

  /** Somebody opened a link to a match in this tab: at a table nothing is interrupted by it. */
  private invite(): void {
    const { matchId } = this.store.get();
    if (matchId === "") this.store.set({ invitation: matchOf(location.hash) });
    else showMatch(matchId);
  }

  setName(name: string): void {
    this.store.set({ name });
  }

  setSettings(change: Partial<Settings>): void {
    const settings = { ...this.store.get().settings, ...change };
    rememberSettings(settings);
    this.store.set({ settings });
  }

  setWishes(change: Partial<Wishes>): void {
    const wishes = { ...this.store.get().wishes, ...change };
    rememberWishes(wishes);
    this.store.set({ wishes });
  }

  /** Starts to play in one of the ways that the lobby offers. */
  async play(way: Way): Promise<void> {
    const rpc = way === "find" ? "set_find_match" : "set_create_match";
    await this.busy(WAITING[way], async () => {
      const options = optionsFor(way, this.store.get().wishes);
      const { matchId, invitation } = await this.nakama.rpc<CreatedMatch>(rpc, options);
      return invitation === undefined ? matchId : `${matchId}/${invitation}`;
    });
  }

  /** Follows the invitation. */
  async accept(): Promise<void> {
    await this.busy("Sitting down…", () => Promise.resolve(this.store.get().invitation));
  }

  dismissInvitation(): void {
    this.store.set({ invitation: "" });
  }

  private async busy(what: string, find: () => Promise<string>): Promise<void> {
    if (this.store.get().busy !== "") return;
    this.store.set({ busy: what, problem: "" });
    try {
      await this.takeName();
      this.table.sit(await find());
    } catch (problem) {
      this.store.set({ problem: problem instanceof Error ? problem.message : String(problem) });
    } finally {
      this.store.set({ busy: "" });
    }
  }

  private async takeName(): Promise<void> {
    const wanted = asUsername(this.store.get().name) || `Guest_${Math.floor(1000 + Math.random() * 9000)}`;
    const name = await this.nakama.rename(wanted);
    rememberName(name);
    this.store.set({ name });
  }
}
