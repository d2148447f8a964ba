import type { Finality, RootException } from "./chain.js";

/** Blocks behind the head that count as final where a node does not tell which are. */
export const usualDepth = 256;

/** Networks of graph-node whose nodes do not know the block tag "finalized". */
const untagged: ReadonlySet<string> = new Set([
  ...["fantom", "fantom-testnet", "harmony", "metis"],
  ...["kovan", "optimism-kovan", "poa-core", "poa-sokol", "rinkeby", "arbitrum-rinkeby", "ropsten"],
]);

/** How the final blocks of a network are known. @param network graph-node's name, if it has one */
export function finalityOf(network: string | undefined): Finality {
  const isUntagged = network !== undefined && untagged.has(network);
  return { by: isUntagged ? "depth" : "tag", depth: usualDepth };
}

const stateSync: RootException = {
  kind: "state-sync",
  note: "Until the Madhugiri upgrade, receipts of state syncs are not in the receipts root of their block.",
};

const blockReceipt: RootException = {
  kind: "block-receipt",
  note: "Before the move to a layer 2, the receipts root of a block includes a receipt of the block itself.",
};

/** Receipts that receipts roots do not cover in the usual way, by graph-node's name of the network. */
export const rootExceptions: ReadonlyMap<string, RootException> = new Map([
  ["matic", stateSync],
  ["mumbai", stateSync],
  ["polygon-amoy", stateSync],
  ["celo", blockReceipt],
  ["celo-alfajores", blockReceipt],
]);
