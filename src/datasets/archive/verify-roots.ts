import { keccak256 } from "ethers/crypto";
import type { Block, Transaction } from "../../runtime/chain/chain.js";
import { headerHash } from "../../runtime/chain/header-hash.js";
import { isStateSync } from "../../runtime/chain/receipts-root.js";
import { encodeTransaction, isKnownType } from "../../runtime/chain/transactions-root.js";
import { trieRoot } from "../../runtime/chain/trie-root.js";
import type { Findings } from "./findings.js";
import type { Segment } from "./manifest.js";
import type { Recomputed } from "./recomputed.js";
import { pathOf } from "./verify-blocks.js";

/** Why nothing of a header can be relied on. */
export const strangeHeader =
  "headers without all fields, from an earlier version of the archive or in a form of the chain's own";

/** Recomputes the hashes of blocks from their headers, and the roots of their transactions. */
export function verifyRoots(
  segment: Segment,
  blocks: readonly Block[],
  chainId: string,
  findings: Findings,
  recomputed: Recomputed,
): void {
  for (const block of blocks) {
    const tell = (sort: string, why: string): void => findings.add(pathOf(segment), sort, why, [segment]);
    const { number, hash } = block;
    const found = headerHash(block);
    if (found === undefined) recomputed.leave("block hash", strangeHeader);
    else if (found === hash) recomputed.add("block hash");
    else tell("hash", `block ${number} has the hash ${hash}, but its header makes ${found}`);
    const why = wrongTransactions(block, chainId, found !== undefined, recomputed);
    // Of a segment's files, the first has the headers and the second the transactions.
    const path = segment.files[1]?.path ?? pathOf(segment);
    if (why !== undefined) findings.add(path, "transactions", why, [segment]);
  }
}

/** @param isProvable whether the header is in Ethereum's form, so that transactions are too */
function wrongTransactions(
  block: Block,
  chainId: string,
  isProvable: boolean,
  recomputed: Recomputed,
): string | undefined {
  const own = [...block.transactions.values()]
    .filter(
      ({ hash, signature }) => signature !== undefined || !isStateSync({ transactionHash: hash }, block),
    )
    .sort((one, other) => one.index - other.index);
  const encoded = own.map((transaction) => encodeTransaction(transaction, chainId));
  const known = encoded.filter((bytes) => bytes !== undefined);
  if (known.length < own.length) {
    recomputed.leave("transactions root", whyUnknown(own));
    return undefined;
  }
  const root = trieRoot(known);
  const isRoot = root === block.transactionsRoot;
  if (!isRoot && !isProvable) {
    recomputed.leave("transactions root", strangeHeader);
    return undefined;
  }
  for (const [index, { hash }] of own.entries()) {
    const made = keccak256(known[index] ?? "0x");
    if (made !== hash)
      return `transaction ${own[index]?.index} of block ${block.number} has the hash ${hash}, but its fields make ${made}`;
  }
  if (isRoot) recomputed.add("transactions root");
  else
    return `block ${block.number} has the transactions root ${block.transactionsRoot}, but its ${own.length === 1 ? "transaction makes" : `${own.length} transactions make`} ${root}`;
  return undefined;
}

function whyUnknown(transactions: readonly Transaction[]): string {
  const strange = transactions.find((transaction) => !isKnownType(transaction));
  return strange
    ? `transactions of type 0x${(strange.type ?? 0).toString(16)}, whose encoding is not known`
    : "transactions without a signature, from an earlier version of the archive or made by the chain itself";
}
