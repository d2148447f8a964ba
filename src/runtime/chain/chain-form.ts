import type { Proof } from "./proof/block-proof.js";

/** So many blocks in a row that contradict themselves are the chain's way, if none among them is proved. */
const enough = 3;

/**
 * Whether a chain computes roots in Ethereum's way, as its blocks show. One block that contradicts itself among others that
 * do not is a node's fault. Where every block does, the chain has a form of its own, and its blocks can only be believed.
 */
export class ChainForm {
  #isKnown = false;
  #isForeign = false;

  /** Whether a block has shown that the chain computes the root in Ethereum's way. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Takes note of a block that was proved. */
  note({ kind }: Proof): void {
    if (kind !== "proved") return;
    this.#isKnown = true;
    this.#isForeign = false;
  }

  /**
   * Whether the chain has a form of its own, after a block contradicted itself each time it was asked for.
   * @param others proofs of other blocks with content: of later ones if the form is known, since it may change with a block
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
    // Of a chain with so few blocks nothing is known.
    return !this.#isKnown;
  }
}
