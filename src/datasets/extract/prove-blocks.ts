import { hasForeignRoots } from "../../chains/root-exceptions.js";
import { type Block, type Chain, ReorgError } from "../../runtime/chain/chain.js";
import {
  isProvedHeader,
  type Proof,
  proveTransactions,
  wrongWithdrawals,
} from "../../runtime/chain/proof/block-proof.js";
import { Bloom } from "../../runtime/chain/proof/bloom.js";
import { headerHash } from "../../runtime/chain/proof/header-hash.js";
import { isKnownType } from "../../runtime/chain/proof/transactions-root.js";
import { receiptsOf } from "../../runtime/indexer/logs/receipts-of.js";
import type { Verification } from "../../runtime/indexer/logs/verification.js";
import { neighbours } from "../../runtime/indexer/neighbours.js";
import type { ExtractionSource } from "./extraction.js";
import type { ProofTally } from "./proofs.js";

/** How often to request a self-contradictory block again: another node of a pool may be right. */
const repeats = 2;
const foreignHeaders = "headers of this chain are believed: they are not hashed like Ethereum's";
const foreignRoots =
  "transactions of this chain are believed: it does not compute transactions roots in Ethereum's way";

/**
 * Recomputes the transactions roots of blocks. Their headers were checked against their hashes when they were read.
 * @param newest the chain head
 * @returns the blocks, or better answers
 * @throws ReorgError for a block that contradicts itself in every answer
 */
export async function proveBlocks(
  source: ExtractionSource,
  blocks: readonly Block[],
  newest: number,
  tally: ProofTally,
): Promise<readonly Block[]> {
  const proved: Block[] = [];
  for (const block of blocks) proved.push(await proveBlock(source, block, newest, tally));
  return proved;
}

/**
 * Notes whether the header of a block is proved.
 * @returns the block, with the correct bloom filter if the node returned another one
 * @throws ReorgError if it is not proved although other headers of its chain are
 */
export async function proveHeader(
  { chain, verification }: ExtractionSource,
  block: Block,
  tally: ProofTally,
): Promise<Block> {
  const { unprovedHeader, number, hash } = block;
  const isWrong =
    unprovedHeader === "broken" || (unprovedHeader === "foreign" && verification.hasEthereumHeaders);
  const proved = isWrong ? await withOwnBloom(chain, block) : block;
  if (isProvedHeader(proved)) {
    tally.proved("header");
    return proved;
  }
  if (isWrong)
    throw new ReorgError(
      `eth_getBlockByNumber: the header of block ${number} does not make the hash ${hash} of the block`,
    );
  verification.believes(foreignHeaders);
  tally.believed("header", foreignHeaders);
  return block;
}

/**
 * Replaces a header's bloom filter with that of the receipts, if the header then matches its hash. Some nodes return
 * filters of zeros or ones in otherwise correct headers, and the hash then proves the rest.
 * @returns the unchanged block if it has another fault
 */
async function withOwnBloom(chain: Chain, block: Block): Promise<Block> {
  const receipts = (await receiptsOf(chain, block)) ?? [];
  const { unprovedHeader: _, ...rest } = block;
  const own: Block = { ...rest, logsBloom: Bloom.of(receipts.flatMap(({ logs }) => logs)).hex };
  return headerHash(own) === block.hash ? own : block;
}

async function proveBlock(
  source: ExtractionSource,
  first: Block,
  newest: number,
  tally: ProofTally,
): Promise<Block> {
  const { chain, verification } = source;
  const prove = (block: Block): Proof => proofOf(block, verification);
  let block = await proveHeader(source, first, tally);
  let proof = prove(block);
  for (let repeat = 0; repeat < repeats && isDoubtful(proof, verification); repeat++) {
    const [again] = await chain.blocks([first.number]);
    if (again?.hash !== first.hash) throw new ReorgError(`block ${first.number} was replaced`);
    if (!isProvedHeader(again) && isProvedHeader(block)) continue;
    block = again;
    proof = prove(block);
  }
  const { transactions: form } = verification.forms;
  if (proof.kind === "wrong") {
    const { why } = proof;
    const others = neighbours(chain, block, newest, form.isKnown, prove);
    if (verification.isEthereum || !(await form.isForeign(others)))
      throw new ReorgError(`eth_getBlockByNumber: ${why}`);
    proof = { kind: "unknown", why: foreignRoots };
  }
  if (block.transactions.size > 0) form.note(proof);
  const believed = tally.note("transactions", proof);
  if (believed !== undefined) verification.believes(`not every transaction is proved: ${believed}`);
  return block;
}

function proofOf(block: Block, verification: Verification): Proof {
  const proof = transactionProof(block, verification);
  if (proof.kind === "wrong" || !isProvedHeader(block)) return proof;
  const why = wrongWithdrawals(block, verification.isEthereum);
  return why === undefined ? proof : { kind: "wrong", why };
}

function transactionProof(block: Block, verification: Verification): Proof {
  const proof = proveTransactions(block, verification.chainId ?? "1");
  if (
    proof.kind === "unknown" &&
    verification.isEthereum &&
    [...block.transactions.values()].every(isKnownType)
  )
    return { kind: "wrong", why: `transactions of block ${block.number} lack their signature` };
  if (proof.kind !== "wrong") return proof;
  const isKnownForeign = hasForeignRoots(verification.exceptionAt(block));
  return isProvedHeader(block) && !isKnownForeign ? proof : { kind: "unknown", why: foreignRoots };
}

/** Whether another node may give a better answer: always for a contradiction, and once for each reason to believe. */
function isDoubtful(proof: Proof, verification: Verification): boolean {
  if (proof.kind === "wrong") return true;
  return (
    proof.kind === "unknown" && !verification.isBelieved(`not every transaction is proved: ${proof.why}`)
  );
}
