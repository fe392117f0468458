/** Lobby: sets the player's name, and finds or creates a match. */

import {
  asUsername,
  optionsFor,
  type Preferences,
  type RuledWay,
  type Rules,
  type Way,
} from "../game/options";
import type { Identity } from "../net/identity";
import type { Nakama } from "../net/nakama";
import type { MatchOptions } from "../protocol/messages";
import { matchOf, showMatch } from "./address";
import type { MatchController } from "./controller";
import { loadMatch, saveName, savePreferences, saveSettings } from "./memory";
import type { AppState, Settings } from "./state";
import type { Store } from "./store";

const PROGRESS: Readonly<Record<Way, string>> = {
  find: "Looking for a match…",
  friends: "Creating a match…",
  bots: "Creating a match…",
  daily: "Dealing today's deck…",
  pass: "Creating a match…",
};

/** Response of the RPCs that find or create a match. Only a private match has an invitation. */
interface CreatedMatch {
  readonly matchId: string;
  readonly invitation?: string;
}

/** Response of the RPC `set_resume`. */
interface LiveMatches {
  readonly matches: readonly { readonly matchId: string }[];
}

export class Lobby {
  constructor(
    private readonly store: Store<AppState>,
    private readonly nakama: Nakama,
    private readonly controller: MatchController,
  ) {}

  /** Shows the lobby with the invitation in the address, or no lobby while a match may continue. */
  show(): void {
    window.addEventListener("hashchange", () => this.onHashChange());
    this.store.set({ invitation: matchOf(location.hash), opening: loadMatch() !== "" });
  }

  /** Joins the previous match after a reload, or offers a running match of the player. */
  async open({ returning, known }: Identity): Promise<void> {
    const { invitation } = this.store.get();
    const previous = returning ? loadMatch() : "";
    const continues = previous !== "" && (invitation === "" || invitation === previous);
    if (continues) this.controller.join(previous);
    this.store.set({ opening: false });
    if (!continues && invitation === "" && known) await this.offerRunningMatch();
  }

  /** Offers a match in which the player still has a seat. Without an answer of the server it offers none. */
  private async offerRunningMatch(): Promise<void> {
    const live = await this.nakama.rpc<LiveMatches>("set_resume", {}).catch(() => null);
    const rejoin = live?.matches[0]?.matchId ?? "";
    if (this.store.get().matchId === "") this.store.set({ rejoin });
  }

  /** Shows the invitation of a link that was opened in this tab. A link does not interrupt a match. */
  private onHashChange(): void {
    const { matchId } = this.store.get();
    if (matchId === "") this.store.set({ invitation: matchOf(location.hash) });
    else showMatch(matchId);
  }

  setName(name: string): void {
    this.store.set({ name });
  }

  setSettings(change: Partial<Settings>): void {
    const settings = { ...this.store.get().settings, ...change };
    saveSettings(settings);
    this.store.set({ settings });
  }

  setPreferences(change: Partial<Preferences>): void {
    const preferences = { ...this.store.get().preferences, ...change };
    savePreferences(preferences);
    this.store.set({ preferences });
  }

  setRules(way: RuledWay, change: Partial<Rules>): void {
    const { rules } = this.store.get().preferences;
    this.setPreferences({ rules: { ...rules, [way]: { ...rules[way], ...change } } });
  }

  /** Finds or creates a match, and joins it. */
  async play(way: Way): Promise<void> {
    const options = () => optionsFor(way, this.store.get().preferences);
    await this.joinMatch(PROGRESS[way], () => this.create(way === "find", options()));
  }

  /** Leaves the match, and joins another one with the same options: of other players, or a new one. */
  async playAgain(options: MatchOptions): Promise<void> {
    this.controller.leave();
    const isOpen = options.mode === "MODE_ONLINE" && !options.private;
    await this.joinMatch(PROGRESS[isOpen ? "find" : "friends"], () => this.create(isOpen, options));
  }

  /** Joins the match of the invitation. */
  async accept(): Promise<void> {
    await this.joinMatch("Joining the match…", () => Promise.resolve(this.store.get().invitation));
  }

  dismissInvitation(): void {
    showMatch("");
    this.store.set({ invitation: "" });
  }

  /** Joins the running match in which this player still has a seat. */
  rejoin(): void {
    this.controller.join(this.store.get().rejoin);
  }

  private async create(canFind: boolean, options: object): Promise<string> {
    const rpc = canFind ? "set_find_match" : "set_create_match";
    const { matchId, invitation } = await this.nakama.rpc<CreatedMatch>(rpc, options);
    return invitation === undefined ? matchId : `${matchId}/${invitation}`;
  }

  private async joinMatch(busy: string, find: () => Promise<string>): Promise<void> {
    if (this.store.get().busy !== "") return;
    this.store.set({ busy, problem: "" });
    try {
      await this.updateName();
      this.controller.join(await find());
    } catch (problem) {
      this.store.set({ problem: problem instanceof Error ? problem.message : String(problem) });
    } finally {
      this.store.set({ busy: "" });
    }
  }

  private async updateName(): Promise<void> {
    const wanted = asUsername(this.store.get().name) || `Guest_${Math.floor(1000 + Math.random() * 9000)}`;
    const name = await this.nakama.rename(wanted);
    saveName(name);
    this.store.set({ name });
  }
}
