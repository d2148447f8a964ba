import type { KeptChain } from "../kept-chains.js";
import { type Segment, segmentName } from "../segments/manifest.js";

/** A finding about a file of an archive. */
export interface Finding {
  /** Relative to the archive. */
  readonly file: string;
  readonly why: string;
}

/** Collects the faults of segments. Faults of one kind in one file are reported once, with their number. */
export class Findings {
  readonly #folder: string;
  readonly #faults = new Map<string, { readonly finding: Finding; count: number }>();
  readonly #refused = new Map<string, Segment>();

  constructor({ folder }: Pick<KeptChain, "folder">) {
    this.#folder = folder;
  }

  /**
   * Records a fault.
   * @param path relative to the folder of the chain
   * @param sort the kind of fault, for grouping
   * @param segments the segments that may be to blame
   */
  add(path: string, sort: string, why: string, segments: readonly Segment[]): void {
    for (const segment of segments) this.#refused.set(segmentName(segment), segment);
    const key = `${path} ${sort}`;
    const known = this.#faults.get(key);
    if (known) known.count += 1;
    else this.#faults.set(key, { finding: { file: `${this.#folder}/${path}`, why }, count: 1 });
  }

  get faults(): readonly Finding[] {
    return [...this.#faults.values()].map(({ finding: { file, why }, count }) => ({
      file,
      why: count === 1 ? why : `${why} (and ${count - 1} more like it)`,
    }));
  }

  get refused(): readonly Segment[] {
    return [...this.#refused.values()];
  }

  isRefused(segment: Segment): boolean {
    return this.#refused.has(segmentName(segment));
  }
}
