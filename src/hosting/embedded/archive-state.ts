import type { ArchiveFiles } from "../../datasets/archive/archive-files.js";
import { keptChains } from "../../datasets/archive/kept-chains.js";
import { surveyChain } from "../../datasets/archive/verify/survey.js";
import type { ArchiveReading } from "../engine.js";

/** Milliseconds for which a reading is reused: manifests grow with the archive, and pages renew themselves. */
const longestUse = 10_000;

/** The state of an archive, according to its manifests. */
export class ArchiveState {
  readonly #files: ArchiveFiles;
  readonly #now: () => number;
  #last: { readonly at: number; readonly reading: Promise<ArchiveReading> } | undefined;

  constructor(files: ArchiveFiles, now: () => number) {
    this.#files = files;
    this.#now = now;
  }

  read(): Promise<ArchiveReading> {
    const at = this.#now();
    if (!this.#last || at - this.#last.at >= longestUse) this.#last = { at, reading: this.#read() };
    return this.#last.reading;
  }

  async #read(): Promise<ArchiveReading> {
    try {
      const chains = (await keptChains(this.#files)) ?? [];
      return {
        chains: chains.map((chain) => {
          const { chainId, networks, manifest } = chain;
          const { bytes, ranges, segments } = surveyChain(chain);
          const aside = manifest.aside.map(({ segment: { kind, from, to }, why }) => ({
            kind,
            from,
            to,
            why,
          }));
          return { chainId, networks, bytes, ranges, segments, final: manifest.marks?.final.number, aside };
        }),
      };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The system's message about a file contains its path, which only the operator may see.
      if (typeof code === "string") return { chains: [], unreadable: code };
      throw error;
    }
  }
}
