import type { BelievableProof } from "../../runtime/chain/proof/block-proof.js";

/** A part of a block that rows come from; `rows` for the whole block. */
export type Part = "header" | "transactions" | "receipts" | "logs" | "traces" | "rows";

/** What was proved about the blocks of rows, and what was only believed, and why. */
export interface Proofs {
  /** Parts proved for every block. */
  readonly proved: readonly Part[];
  readonly believed: Readonly<Partial<Record<Part, string>>>;
}

/** Collects the proofs of blocks. */
export class ProofTally {
  readonly #proved = new Set<Part>();
  readonly #believed = new Map<Part, string>();

  proved(part: Part): void {
    this.#proved.add(part);
  }

  /** @param why must not mention a single block */
  believed(part: Part, why: string): void {
    if (!this.#believed.has(part)) this.#believed.set(part, why);
  }

  /**
   * Adds a proof of a part of a block.
   * @returns why the part is not fully proved, if it is not
   */
  note(part: Part, proof: BelievableProof): string | undefined {
    const why = proof.kind === "proved" ? proof.beside : proof.why;
    if (why === undefined) this.proved(part);
    else this.believed(part, why);
    return why;
  }

  /** Adds the proofs of other blocks. */
  add({ proved, believed }: Proofs): void {
    for (const part of proved) this.proved(part);
    for (const [part, why] of Object.entries(believed)) this.believed(part as Part, why);
  }

  get proofs(): Proofs {
    return {
      proved: [...this.#proved].filter((part) => !this.#believed.has(part)),
      believed: Object.fromEntries(this.#believed),
    };
  }
}
