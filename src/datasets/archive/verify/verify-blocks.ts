import type { Block } from "../../../runtime/chain/chain.js";
import type { Segment } from "../segments/manifest.js";
import type { Findings } from "./findings.js";

interface KnownBlock {
  readonly hash: string;
  readonly parentHash: string;
  readonly segment: Segment;
}

/**
 * Compares blocks with each other: blocks with the same number must be equal, and each must name the previous block
 * as its parent. Segments must be added in the order of their first blocks, so that only blocks that may still matter
 * are remembered.
 */
export class BlockLinks {
  readonly #findings: Findings;
  readonly #known = new Map<number, KnownBlock>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Adds the blocks of the next segment. */
  add(segment: Segment, blocks: readonly Block[]): void {
    for (const number of this.#known.keys()) if (number < segment.from - 1) this.#known.delete(number);
    for (const block of [...blocks].sort((one, other) => one.number - other.number)) {
      this.#check(segment, block);
      this.#known.set(block.number, { hash: block.hash, parentHash: block.parentHash, segment });
    }
  }

  #check(segment: Segment, { number, hash, parentHash }: Block): void {
    const tell = (sort: string, why: string, other: KnownBlock): void => {
      const elsewhere = other.segment === segment ? "" : `, in ${pathOf(other.segment)}`;
      this.#findings.add(pathOf(segment), sort, `${why}${elsewhere}`, [segment, other.segment]);
    };
    const same = this.#known.get(number);
    if (same && same.hash !== hash)
      tell("same", `block ${number} has the hash ${hash}, and also ${same.hash}`, same);
    const before = this.#known.get(number - 1);
    if (before && before.hash !== parentHash)
      tell(
        "parent",
        `block ${number} has the parent ${parentHash}, but block ${number - 1} is ${before.hash}`,
        before,
      );
    const after = this.#known.get(number + 1);
    if (after && after.segment !== segment && after.parentHash !== hash)
      tell("child", `block ${number} is ${hash}, but the parent of the next is ${after.parentHash}`, after);
  }
}

/** The file that represents a segment in reports. */
export function pathOf({ files }: Segment): string {
  return files[0]?.path ?? "";
}
