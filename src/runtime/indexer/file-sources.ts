import type { ActiveSource } from "./active-source.js";

/** A data source of a file that is to be handled. */
export interface FileSource {
  readonly source: ActiveSource;
  /** Its file on IPFS: `Qm…/name`. */
  readonly path: string;
  /** Its causality region: they are numbered in the order of their creation. */
  readonly region: number;
  readonly creationBlock: number;
}

interface Entry extends FileSource {
  doneAt: number | undefined;
}

/** Data sources of files: each is handled once, when its file is there. */
export class FileSources {
  readonly #entries = new Map<number, Entry>();
  /** Those that are yet to be handled. */
  #pending = new Map<number, Entry>();
  #lastRegion = 0;

  /** The causality region of the next one. */
  get nextRegion(): number {
    return this.#lastRegion + 1;
  }

  /** Those that are yet to be handled, in the order of their creation. */
  get pending(): readonly FileSource[] {
    return [...this.#pending.values()];
  }

  /** Adds one that was created, and perhaps handled. */
  add(source: ActiveSource, region: number): void {
    const { address = "0x", creation } = source;
    const entry: Entry = {
      source,
      region,
      path: pathOf(address),
      creationBlock: creation?.creationBlock ?? source.startBlock,
      doneAt: creation?.doneAt,
    };
    this.#entries.set(region, entry);
    if (entry.doneAt === undefined) this.#pending.set(region, entry);
    this.#lastRegion = Math.max(this.#lastRegion, region);
  }

  /** Its file was handled in a block. */
  markDone(region: number, block: number): void {
    const entry = this.#entries.get(region);
    if (entry) entry.doneAt = block;
    this.#pending.delete(region);
  }

  /**
   * Takes back those that were created after a block; what was handled after it is to be handled again.
   * @returns those that were taken back
   */
  dropAfter(block: number): readonly FileSource[] {
    const dropped = [...this.#entries.values()].filter(({ creationBlock }) => creationBlock > block);
    for (const { region } of dropped) this.#entries.delete(region);
    const kept = [...this.#entries];
    for (const [, entry] of kept) {
      if (entry.doneAt !== undefined && entry.doneAt > block) entry.doneAt = undefined;
    }
    this.#pending = new Map(kept.filter(([, { doneAt }]) => doneAt === undefined));
    this.#lastRegion = kept.at(-1)?.[0] ?? 0;
    return dropped;
  }
}

/** How a data source of a file holds its path where others have an address: the bytes of the text, in hex. */
export function addressOf(path: string): string {
  return `0x${Buffer.from(path, "utf8").toString("hex")}`;
}

function pathOf(address: string): string {
  return Buffer.from(address.slice(2), "hex").toString("utf8");
}
