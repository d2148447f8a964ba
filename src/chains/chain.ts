/** How to determine the final blocks of a chain. */
export interface Finality {
  /**
   * `tag`: nodes report it by the block tag "finalized". `depth`: they do not report it. `unknown`: no source says
   * whether they do.
   */
  readonly by: "tag" | "depth" | "unknown";
  /** Blocks behind the head that count as final where nodes do not report it. */
  readonly depth: number;
}

/** Why a block's receipts root does not cover the receipts that nodes return, as it does on Ethereum. */
export interface RootException {
  /**
   * `state-sync`: receipts of state syncs are left out. `block-receipt`: a receipt that belongs to no transaction is
   * included. `absent`: headers have no root. `foreign`: the root is not computed in Ethereum's way.
   */
  readonly kind: "state-sync" | "block-receipt" | "absent" | "foreign";
  /** The first block without the exception; absent when it holds for all blocks. */
  readonly before?: number;
  /** Its description and blocks, in one sentence. */
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
  /** The address of its explorer, without a slash at the end; absent if unknown. */
  readonly explorer?: string;
  readonly finality: Finality;
  /** Absent if receipts roots are not known to leave out any receipts. */
  readonly rootException?: RootException;
}
