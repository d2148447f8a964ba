import { backoff } from "../../base/backoff.js";
import { ChainError } from "../chain/chain.js";
import { nodeBackoff } from "../chain/node-backoff.js";
import type { Files } from "../files/files.js";

/** How files are looked for. */
export interface FileFinderOptions {
  readonly files: Files | undefined;
  /** Milliseconds that the end of a run waits for files at the most. */
  readonly patience: number;
  /** Waits for a number of milliseconds, for the reason given. */
  pause(milliseconds: number, why: string): Promise<void>;
  /** At least 0, less than 1: the jitter of waits. */
  chance(): number;
  /** The time in milliseconds, from anywhere on. */
  now(): number;
  readonly signal?: AbortSignal | undefined;
}

/** What is known of a file that is wanted. */
interface Look {
  content: Uint8Array | undefined;
  isUnderWay: boolean;
  misses: number;
  /** Why the gateway did not answer the last time. */
  problem?: string | undefined;
  /** When it is looked for again: counted in blocks, and in milliseconds, whichever is first. */
  dueAt: { readonly round: number; readonly time: number };
}

/** Milliseconds for which a block waits for a file, and for which the end of a run does, each time. */
const quick = 2_000;
const patient = 10_000;
/** Files that are asked for at the same time. */
const mostAtOnce = 20;
/** Blocks between two looks for a file that is not there, and milliseconds: blocks may be minutes apart. */
const longestInterval = 64;
const longestTime = 30_000;

/**
 * Looks for the files of data sources until they are found. A block waits for the first answer; those that are not
 * there are looked for again, less and less often, by the blocks and by the clock.
 */
export class FileFinder {
  readonly #options: FileFinderOptions;
  readonly #looks = new Map<string, Look>();
  #round = 0;
  #underWay = 0;
  #waited = 0;
  #broken: { readonly error: unknown } | undefined;

  constructor(options: FileFinderOptions) {
    this.#options = options;
  }

  /** The content of a file that was found. */
  content(path: string): Uint8Array | undefined {
    return this.#looks.get(path)?.content;
  }

  /** A block begins to look for its files. */
  nextBlock(): void {
    this.#round += 1;
  }

  /**
   * Looks for files; others are forgotten.
   * @param wanted true for those to wait for, when they are looked for the first time
   * @throws ChainError where no files can be had at all
   */
  async look(wanted: ReadonlyMap<string, boolean>): Promise<void> {
    this.#forgetBut(wanted);
    if (this.#broken) throw this.#broken.error;
    await this.#readAll(
      [...wanted].flatMap(([path, isAwaited]) => (isAwaited && !this.#looks.has(path) ? [path] : [])),
      quick,
    );
    for (const path of wanted.keys()) {
      const look = this.#looks.get(path);
      if (look && (look.content || look.isUnderWay || !this.#isDue(look))) continue;
      if (this.#underWay >= mostAtOnce) return;
      this.#read(path).catch((error: unknown) => {
        this.#broken = { error };
      });
    }
  }

  /** Waits for files until all are there or the run has waited for long enough. @throws ChainError as `look` does */
  async wait(paths: readonly string[]): Promise<void> {
    const { pause, chance, patience, signal } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const missing = paths.filter((path) => this.content(path) === undefined);
      if (missing.length === 0 || signal?.aborted) return;
      const milliseconds = backoff(attempt, nodeBackoff, chance());
      if (this.#waited + milliseconds > patience) return;
      this.#waited += milliseconds;
      const which = missing.length === 1 ? missing[0] : `${missing.length} files, such as ${missing[0]}`;
      const problem = missing.map((path) => this.#looks.get(path)?.problem).find((one) => one !== undefined);
      await pause(
        milliseconds,
        `waiting for ${which} from IPFS${problem === undefined ? "" : ` (${problem})`}`,
      );
      await this.#readAll(missing, patient);
    }
  }

  async #readAll(paths: readonly string[], milliseconds: number): Promise<void> {
    for (let start = 0; start < paths.length; start += mostAtOnce) {
      const some = paths.slice(start, start + mostAtOnce);
      await Promise.all(some.map((path) => this.#read(path, milliseconds)));
    }
  }

  async #read(path: string, milliseconds?: number): Promise<void> {
    const { files } = this.#options;
    if (!files) {
      throw new ChainError(
        "A file data source was created, but no IPFS gateway is set. Pass one with --ipfs <address>",
      );
    }
    const look = this.#looks.get(path) ?? {
      content: undefined,
      isUnderWay: false,
      misses: 0,
      dueAt: { round: 0, time: 0 },
    };
    this.#looks.set(path, look);
    look.isUnderWay = true;
    this.#underWay += 1;
    try {
      const content = await files.read(path, milliseconds);
      look.content ??= content;
      look.problem = undefined;
    } catch (error) {
      // A gateway out of reach has no file now, and may have it later.
      if (!(error instanceof ChainError)) throw error;
      look.problem = error.message;
    } finally {
      look.isUnderWay = false;
      this.#underWay -= 1;
    }
    look.misses += 1;
    // Backoff without jitter: what is indexed, and when, must not depend on chance.
    look.dueAt = {
      round: this.#round + Math.min(2 ** look.misses, longestInterval),
      time: this.#options.now() + Math.min(1_000 * 2 ** look.misses, longestTime),
    };
  }

  #isDue({ dueAt }: Look): boolean {
    return dueAt.round <= this.#round || dueAt.time < this.#options.now();
  }

  #forgetBut(paths: ReadonlyMap<string, unknown>): void {
    for (const path of this.#looks.keys()) if (!paths.has(path)) this.#looks.delete(path);
  }
}
