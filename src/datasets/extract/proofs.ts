import type { BelievableProof } from "../../runtime/chain/proof/block-proof.js";

/** A part of a block that rows come from; `rows` for the whole block. */
export type Part = "header" | "transactions" | "receipts" | "logs" | "traces" | "rows";

/** What was proved about the blocks of rows, and what was only believed, with the reason. */
export interface Proofs {
  /** Parts that were proved of every block. */
  readonly proved: readonly Part[];
  /** By part. */
  readonly believed: Readonly<Partial<Record<Part, string>>>;
}

/** Collects the proofs of some blocks. */
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

  /** Takes a proof of a part of a block. @returns why it is not wholly proved, if it is not */
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
