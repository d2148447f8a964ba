import { type Asker, type AskerKind, kindShares } from "./asker.js";
import { KnownAnswers } from "./known-answers.js";

/** Cached answers, read by all askers. Each kind of askers evicts only its own. */
export class SharedAnswers {
  readonly #ofKinds: Readonly<Record<AskerKind, KnownAnswers>>;

  /** @param cacheBytes bytes per kind, to override the default */
  constructor(cacheBytes?: number) {
    const bytes = (kind: AskerKind): number => cacheBytes ?? kindShares[kind].cacheBytes;
    this.#ofKinds = {
      indexing: new KnownAnswers(bytes("indexing")),
      pipelines: new KnownAnswers(bytes("pipelines")),
      datasets: new KnownAnswers(bytes("datasets")),
      data: new KnownAnswers(bytes("data")),
      edge: new KnownAnswers(bytes("edge")),
    };
  }

  /** @param now milliseconds since 1970 */
  get(key: string, { longestKept }: Asker, now: number): Uint8Array | undefined {
    for (const answers of Object.values(this.#ofKinds)) {
      const result = answers.get(key, now, longestKept);
      if (result) return result;
    }
    return undefined;
  }

  /** @param until milliseconds since 1970, as is now */
  set(key: string, result: Uint8Array, { kind }: Asker, until: number, now: number): void {
    this.#ofKinds[kind].set(key, result, until, now);
  }

  drop(key: string): void {
    for (const answers of Object.values(this.#ofKinds)) answers.drop(key);
  }

  clear(): void {
    for (const answers of Object.values(this.#ofKinds)) answers.clear();
  }
}
