import type { RootException } from "./chain.js";

/*
 * Receipts roots that do not cover what `eth_getBlockReceipts` returns in Ethereum's way, looked up in November 2026 in
 * the sources of the nodes and in the announcements of the chains. A chain that is absent has no known exception.
 */

/** 0xPolygon/bor (`core/types/bor_receipt.go`); PIP-74 puts state syncs into blocks. Blocks: releases of bor 2.5.0. */
function stateSync(before: number | undefined): RootException {
  const when = before === undefined ? "In all blocks" : `Before block ${before} (Madhugiri)`;
  return {
    kind: "state-sync",
    ...(before !== undefined && { before }),
    note: `${when}, receipts of state syncs are not in the receipts root of their block.`,
  };
}

/** celo-org/celo-blockchain (`core/block_receipt.go`). Blocks: docs.celo.org, "Celo L2 Migration". */
function blockReceipt(before: number): RootException {
  return {
    kind: "block-receipt",
    before,
    note: `Before block ${before} (the move to a layer 2), the receipts root of a block includes a receipt of the block itself.`,
  };
}

/** matter-labs/zksync-era (`blocks_web3_dal.rs`), crypto-org-chain/ethermint (`rpc/types/utils.go`). */
const absent: RootException = {
  kind: "absent",
  note: "Headers have no receipts root, so logs are checked against bloom filters instead.",
};

/**
 * sei-protocol/sei-chain (hash of results), kaiachain/kaia (other fields), rsksmart/rskj (binary trie), Zilliqa/zq2
 * (hashes of receipts), iotexproject/iotex-core (own encoding).
 */
const foreign: RootException = {
  kind: "foreign",
  note: "The receipts root is not computed in Ethereum's way, so logs are checked against bloom filters instead.",
};

/** By graph-node's name of the network. */
export const rootExceptions: ReadonlyMap<string, RootException> = new Map([
  ["matic", stateSync(80_084_800)],
  // Madhugiri alone; bor's settings for Amoy (`params/config.go`).
  ["polygon-amoy", stateSync(28_899_616)],
  // Shut down before.
  ["mumbai", stateSync(undefined)],
  ["celo", blockReceipt(31_056_500)],
  ["celo-alfajores", blockReceipt(26_384_000)],
  ...["abstract", "abstract-testnet", "zksync-era", "zksync-era-sepolia", "zksync-era-testnet", "cronos"].map(
    (name): [string, RootException] => [name, absent],
  ),
  ...["sei-mainnet", "sei-atlantic", "kaia", "kaia-testnet", "rootstock", "rootstock-testnet"].map(
    (name): [string, RootException] => [name, foreign],
  ),
  ...["zilliqa", "zilliqa-testnet", "iotex", "iotex-testnet"].map((name): [string, RootException] => [
    name,
    foreign,
  ]),
]);

/** Whether an exception's roots cannot be computed in Ethereum's way at all. */
export function hasForeignRoots(exception: RootException["kind"] | undefined): boolean {
  return exception !== undefined && exception !== "state-sync";
}

/** The exception that holds in a block, if any does. */
export function exceptionAt(
  { kind, before = Number.POSITIVE_INFINITY }: Partial<RootException> = {},
  number: number,
): RootException["kind"] | undefined {
  return number < before ? kind : undefined;
}
