import type { Proof } from "./proof/block-proof.js";

/** After this many contradictory blocks in a row without a proved one, the chain itself has another form. */
const enough = 3;

/**
 * Finds out from its blocks whether a chain computes roots in Ethereum's way. A single block that contradicts itself
 * is a node's fault. If every block does, the chain has another form, and its blocks can only be believed.
 */
export class ChainForm {
  #isKnown = false;
  #isForeign = false;

  /** Whether a block has shown that the chain computes the root in Ethereum's way. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Records that a block was proved. */
  note({ kind }: Proof): void {
    if (kind !== "proved") return;
    this.#isKnown = true;
    this.#isForeign = false;
  }

  /**
   * Whether the chain has another form, after a block contradicted itself at each request.
   * @param others proofs of other blocks with content: of later ones if the form is known, since it may change at a
   * block
   */
  async isForeign(others: AsyncIterable<Proof>): Promise<boolean> {
    if (this.#isForeign) return true;
    let strange = 0;
    for await (const proof of others) {
      if (proof.kind === "proved") {
        this.note(proof);
        return false;
      }
      // A root that cannot be computed does not hint at another form.
      if (proof.kind === "unknown") continue;
      strange += 1;
      if (strange < enough) continue;
      this.#isForeign = true;
      return true;
    }
    // With so few blocks, the chain's form stays unknown.
    return !this.#isKnown;
  }
}
