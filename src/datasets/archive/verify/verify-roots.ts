import type { Block } from "../../../runtime/chain/chain.js";
import { proveTransactions } from "../../../runtime/chain/proof/block-proof.js";
import { headerHash } from "../../../runtime/chain/proof/header-hash.js";
import type { Segment } from "../segments/manifest.js";
import type { Findings } from "./findings.js";
import type { Recomputed } from "./recomputed.js";
import { pathOf } from "./verify-blocks.js";

/** Why a header proves nothing. */
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
    // A segment's first file has the headers, the second the transactions.
    const path = segment.files[1]?.path ?? pathOf(segment);
    if (why !== undefined) findings.add(path, "transactions", why, [segment]);
  }
}

/** @param isProvable whether the header, and so the transactions, are in Ethereum's form */
function wrongTransactions(
  block: Block,
  chainId: string,
  isProvable: boolean,
  recomputed: Recomputed,
): string | undefined {
  const proof = proveTransactions(block, chainId);
  if (proof.kind === "proved") recomputed.add("transactions root");
  else if (proof.kind === "unknown") recomputed.leave("transactions root", proof.why);
  else if (isProvable) return proof.why;
  else recomputed.leave("transactions root", strangeHeader);
  return undefined;
}
