import { arweavePath } from "../../files/file-path.js";
import type { ActiveSource } from "../active-source.js";

/** A file data source whose file must be handled. */
export interface FileSource {
  readonly source: ActiveSource;
  /** The path of its file: `Qm…/name` on IPFS, `ar://…` on Arweave. */
  readonly path: string;
  /** Its causality region. Regions are numbered in the order of creation. */
  readonly region: number;
  readonly creationBlock: number;
}

interface Entry extends FileSource {
  doneAt: number | undefined;
}

/** File data sources. Each is handled once, when its file was found. */
export class FileSources {
  readonly #entries = new Map<number, Entry>();
  /** Sources that still have to be handled. */
  #pending = new Map<number, Entry>();
  #lastRegion = 0;

  /** The causality region of the next source. */
  get nextRegion(): number {
    return this.#lastRegion + 1;
  }

  /** Sources that still have to be handled, in the order of creation. */
  get pending(): readonly FileSource[] {
    return [...this.#pending.values()];
  }

  /** Adds a source that was created and may have been handled already. */
  add(source: ActiveSource, region: number): void {
    const { address = "0x", creation } = source;
    const entry: Entry = {
      source,
      region,
      path: source.template.file?.isArweave ? arweavePath(pathOf(address)) : pathOf(address),
      creationBlock: creation?.creationBlock ?? source.startBlock,
      doneAt: creation?.doneAt,
    };
    this.#entries.set(region, entry);
    if (entry.doneAt === undefined) this.#pending.set(region, entry);
    this.#lastRegion = Math.max(this.#lastRegion, region);
  }

  /** Marks a source as handled in a block. */
  markDone(region: number, block: number): void {
    const entry = this.#entries.get(region);
    if (entry) entry.doneAt = block;
    this.#pending.delete(region);
  }

  /**
   * Removes the sources that were created after a block. Files that were handled after it are handled again.
   * @returns the removed sources
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

/** The path of a file data source in the form of an address: the bytes of the path, in hex. */
export function addressOf(path: string): string {
  return `0x${Buffer.from(path, "utf8").toString("hex")}`;
}

function pathOf(address: string): string {
  return Buffer.from(address.slice(2), "hex").toString("utf8");
}
