/** How the final blocks of a chain are known. */
export interface Finality {
  /** `tag`: nodes tell with the block tag "finalized". `depth`: they do not. */
  readonly by: "tag" | "depth";
  /** Blocks behind the head that count as final where the node does not tell. */
  readonly depth: number;
}

/** Receipts that nodes return, but that a block's receipts root does not cover as it does the others. */
export interface RootException {
  readonly kind: "state-sync" | "block-receipt";
  /** What it is and in which blocks, in one sentence. */
  readonly note: string;
}

/** A public EVM chain. */
export interface Chain {
  /** Full name, such as `Ethereum Mainnet`. */
  readonly title: string;
  /** Decimal digits. */
  readonly chainId: string;
  readonly isTest: boolean;
  /** The first part of its datasets' names. No two chains have the same one. */
  readonly prefix: string;
  /** graph-node's name of the network; absent if graph-node has none. */
  readonly network?: string;
  /** Name in the block service. */
  readonly blockService?: string;
  /** Canonical name in the feeds. */
  readonly feed?: string;
  readonly finality: Finality;
  /** Absent if receipts roots cover all receipts, as far as is known. */
  readonly rootException?: RootException;
}
