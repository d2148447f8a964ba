import { guarded, inBackground } from "../../base/turns/guarded.js";
import { DumpError } from "../../dumps/dump-error.js";
import type { ReadLimits } from "../../dumps/read-dump-file.js";
import {
  addPiece,
  beginSentRestore,
  completeRestore,
  isRestored,
  NoRestoreError,
  type OfferedDump,
  type RestoreState,
  type RestoringProject,
  type SentPiece,
} from "../../dumps/receive-restore.js";
import { type Caller, requireRole } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { type DeskLimits, type DeskWords, WorkDesk } from "../work-desk.js";
import { asProblem } from "./as-problem.js";

type Own = Pick<Platform, "database" | "hosting" | "memory" | "world">;

/** Limits on restores over the server. */
export interface RestoreLimits extends DeskLimits {
  /** Of a piece. */
  readonly read: ReadLimits;
  /** Milliseconds after which a request to complete a restore is answered, although the work continues. */
  readonly patience: number;
}

export const usualRestoreLimits: RestoreLimits = {
  perCaller: 1,
  total: 4,
  read: { unpacked: 64 * 1024 * 1024, batch: 64 * 1024 * 1024 },
  patience: 5_000,
};

const words: DeskWords = {
  does: (most) => `takes at most ${most} ${most === 1 ? "piece of a restore" : "pieces of restores"}`,
  other: "the other",
  retryAfter: 1,
};

/** Restores dumps that clients send, within limits. */
export class RestoreTaker {
  readonly #platform: Own;
  readonly #limits: RestoreLimits;
  readonly #isOn: boolean;
  readonly #desk: WorkDesk;
  readonly #closing = new AbortController();
  /** Restores that are being completed, by project and deployment. */
  readonly #completing = new Map<string, Promise<void>>();

  /** @param isOn whether the operator lets projects restore */
  constructor(platform: Own, limits: RestoreLimits, isOn: boolean) {
    this.#platform = platform;
    this.#limits = limits;
    this.#isOn = isOn;
    this.#desk = new WorkDesk(limits, words);
  }

  /**
   * Begins a restore of the caller's project, or finds the one that it has begun.
   * @throws Problem `forbidden`, `not-found` if the server takes no restores, `unprocessable` if it cannot have this one,
   *   `rate-limited` or `unavailable` beyond limits; DatabaseError
   */
  async begin(caller: Caller, offered: OfferedDump): Promise<RestoreState> {
    const own = this.#own(caller);
    return this.#desk.run(caller, () =>
      refusing(async () => {
        const state = await beginSentRestore(own, offered, (network) => this.#checkNetwork(network));
        if (!state.isContinued) await noteChange(own.database, caller, "restore.begin", state.deployment);
        return state;
      }),
    );
  }

  /** Loads a piece of a restore. @throws Problem as `begin`, or `not-found` if there is no such restore; DatabaseError */
  async add(caller: Caller, deployment: string, piece: SentPiece): Promise<void> {
    const own = this.#own(caller);
    this.#platform.memory?.require();
    await this.#desk.run(caller, () => refusing(() => addPiece(own, deployment, piece, this.#limits.read)));
  }

  /**
   * Completes a restore. The work continues after the answer, until the server ends.
   * @returns whether it is complete
   * @throws Problem as `add`; DatabaseError
   */
  async complete(caller: Caller, deployment: string, fail: (error: unknown) => void): Promise<boolean> {
    const own = this.#own(caller);
    const key = JSON.stringify([caller.project, deployment]);
    const known = this.#completing.get(key);
    const work = known ?? this.#desk.run(caller, () => this.#complete(own, caller, deployment));
    if (!known) {
      this.#completing.set(key, work);
      const forget = guarded(() => void this.#completing.delete(key), fail);
      // The answer has the failure. If no request waits for it, the next one finds it again.
      inBackground(work.then(forget, forget), fail);
    }
    const { patience } = this.#limits;
    const late = new Promise<false>((resolve) => {
      const end = (): void => resolve(false);
      this.#platform.world.timeout(patience).addEventListener("abort", end, { once: true });
    });
    return refusing(() => Promise.race([work.then(() => true), late]));
  }

  /** Stops what is being completed. The next server continues when the client asks again. */
  close(): void {
    this.#closing.abort(
      new Problem("unavailable", "The server ends. Repeat the request.", { retryAfter: 1 }),
    );
  }

  async #complete(own: RestoringProject, caller: Caller, deployment: string): Promise<void> {
    try {
      await completeRestore(own, deployment, this.#closing.signal, (sql) =>
        noteChange(sql, caller, "restore.complete", deployment),
      );
    } catch (error) {
      // The answer to the request that completed it may be lost.
      if (error instanceof NoRestoreError && (await isRestored(own, deployment))) return;
      throw error;
    }
  }

  /** @throws Problem */
  #own(caller: Caller): RestoringProject {
    requireRole(caller, "Owner");
    if (!this.#isOn)
      throw new Problem(
        "not-found",
        "This server takes no restores. Its operator can turn that on: graphloom serve --restores",
      );
    return { database: this.#platform.database, project: caller.project };
  }

  /** @throws DumpError if the server itself does not index the network */
  #checkNetwork(network: string): void {
    const engine = this.#platform.hosting.engineFor(network);
    if (!engine) throw new DumpError(`this server does not index ${network}`);
    // Only the server itself asks nodes.
    if (!engine.nodes)
      throw new DumpError(`a graph-node indexes ${network} for this server`, {
        hint: "Restore into its database, with graphman restore.",
      });
  }
}

/** @throws Problem for what is wrong with a dump; other errors as they are */
async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asProblem(error);
  }
}
