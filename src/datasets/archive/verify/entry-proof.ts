import type { RootException } from "../../../chains/chain.js";
import { chainOfId } from "../../../chains/look-up-chain.js";
import { exceptionAt, hasForeignRoots } from "../../../chains/root-exceptions.js";
import type { Block, BlockPointer, Receipt } from "../../../runtime/chain/chain.js";
import { ChainForm } from "../../../runtime/chain/chain-form.js";
import {
  isProvedHeader,
  type Proof,
  proveReceipts,
  proveTransactions,
} from "../../../runtime/chain/proof/block-proof.js";
import { hasReceiptsRoot, rawMakeUpRoot } from "../../../runtime/chain/proof/receipts-root.js";
import { areOfAll } from "../../../runtime/indexer/logs/receipts-of.js";

/**
 * Decides which of a node's answers may enter an archive: none that contradict their block. A reader may have refused
 * such an answer and continued with a better one, or read only a part. If a chain computes roots differently, its
 * blocks contradict all answers and prove nothing.
 */
export class EntryProof {
  readonly #chainId: string;
  readonly #forms = { transactions: new ChainForm(), receipts: new ChainForm() };

  /** @param chainId in decimal digits */
  constructor(chainId: string) {
    this.#chainId = chainId;
  }

  /** Whether a block may enter. */
  admitsBlock(block: Block): boolean {
    if (block.unprovedHeader === "broken") return false;
    return this.#admits(proveTransactions(block, this.#chainId), block, this.#forms.transactions);
  }

  /** Whether all receipts of a block may enter. */
  admitsReceipts(receipts: readonly Receipt[], block: Block): boolean {
    const proof = proveReceipts(receipts, block, this.#exceptionAt(block));
    return areOfAll(receipts, block) && this.#admits(proof, block, this.#forms.receipts);
  }

  /** Whether all receipts of a block, in the encoding of the trie, may enter. */
  admitsRaw(raw: readonly string[], block: Block): boolean {
    return !hasReceiptsRoot(block) || this.#isForeign(block) || rawMakeUpRoot(raw, block);
  }

  #admits(proof: Proof, block: Block, form: ChainForm): boolean {
    if (block.transactions.size > 0) form.note(proof);
    return proof.kind !== "wrong" || this.#isForeign(block) || !form.isKnown;
  }

  #isForeign(block: Block): boolean {
    return !isProvedHeader(block) || hasForeignRoots(this.#exceptionAt(block));
  }

  #exceptionAt({ number }: BlockPointer): RootException["kind"] | undefined {
    return exceptionAt(chainOfId(this.#chainId)?.rootException, number);
  }
}
