/** Lobby: sets the player's name, and finds or creates a match. */

import { asUsername, optionsFor, type Preferences, type Way } from "../game/options";
import type { Nakama } from "../net/nakama";
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

export class Lobby {
  constructor(
    private readonly store: Store<AppState>,
    private readonly nakama: Nakama,
    private readonly controller: MatchController,
  ) {}

  /** Joins the previous match after a reload. Otherwise shows the invitation in the address, if there is one. */
  open(returning: boolean): void {
    window.addEventListener("hashchange", () => this.onHashChange());
    const invitation = matchOf(location.hash);
    const previous = returning ? loadMatch() : "";
    if (previous !== "" && (invitation === "" || invitation === previous)) this.controller.join(previous);
    else this.store.set({ invitation });
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

  /** Finds or creates a match, and joins it. */
  async play(way: Way): Promise<void> {
    const rpc = way === "find" ? "set_find_match" : "set_create_match";
    await this.joinMatch(PROGRESS[way], async () => {
      const options = optionsFor(way, this.store.get().preferences);
      const { matchId, invitation } = await this.nakama.rpc<CreatedMatch>(rpc, options);
      return invitation === undefined ? matchId : `${matchId}/${invitation}`;
    });
  }

  /** Joins the match of the invitation. */
  async accept(): Promise<void> {
    await this.joinMatch("Joining the match…", () => Promise.resolve(this.store.get().invitation));
  }

  dismissInvitation(): void {
    this.store.set({ invitation: "" });
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
