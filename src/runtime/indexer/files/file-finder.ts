import { backoff } from "../../../base/turns/backoff.js";
import { ChainError } from "../../chain/chain.js";
import { nodeBackoff } from "../../chain/rpc/node-backoff.js";
import { type Files, joinFiles, NoGatewayError } from "../../files/files.js";

export interface FileFinderOptions {
  readonly files: Files | undefined;
  /** Maximum milliseconds that the end of a run waits for files. */
  readonly patience: number;
  /** Waits for a number of milliseconds, for the given reason. */
  pause(milliseconds: number, why: string): Promise<void>;
  /** The jitter of waits: at least 0 and less than 1. */
  chance(): number;
  /** The time in milliseconds since any fixed moment. */
  now(): number;
  readonly signal?: AbortSignal | undefined;
}

/** The state of the search for a file. */
interface Look {
  content: Uint8Array | undefined;
  isUnderWay: boolean;
  misses: number;
  /** Why the gateway did not answer the last attempt. */
  problem?: string | undefined;
  /** When to look for the file again: in blocks or in milliseconds, whichever comes first. */
  dueAt: { readonly round: number; readonly time: number };
}

/** Milliseconds per attempt that a block waits for a file, and that the end of a run does. */
const quick = 2_000;
const patient = 10_000;
/** Maximum number of concurrent requests for files. */
const mostAtOnce = 20;
/** Longest interval between attempts to find a file, in blocks and in milliseconds: blocks may be minutes apart. */
const longestInterval = 64;
const longestTime = 30_000;

/**
 * Looks for the files of file data sources until it finds them. A block waits for the first answer. The finder retries
 * missing files less and less often, counting both blocks and time.
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

  /** The content of a file, if it was found. */
  content(path: string): Uint8Array | undefined {
    return this.#looks.get(path)?.content;
  }

  /** Call it when a block starts to look for its files. */
  nextBlock(): void {
    this.#round += 1;
  }

  /**
   * Looks for files, and forgets all others.
   * @param wanted by path; true to wait for the file when it is looked for the first time
   * @throws NoGatewayError
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

  /** Waits until all files are found or the run has waited long enough. @throws NoGatewayError */
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
      await pause(milliseconds, `waiting for ${which}${problem === undefined ? "" : ` (${problem})`}`);
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
    const { files = joinFiles({}) } = this.#options;
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
      // A gateway that cannot be reached now may return the file later.
      if (!(error instanceof ChainError) || error instanceof NoGatewayError) throw error;
      look.problem = error.message;
    } finally {
      look.isUnderWay = false;
      this.#underWay -= 1;
    }
    look.misses += 1;
    // Backoff without jitter, because what is indexed in which block must not depend on chance.
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
