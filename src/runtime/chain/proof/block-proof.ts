import { keccak256 } from "../../../base/keccak.js";
import type { RootException } from "../../../chains/chain.js";
import { hasForeignRoots } from "../../../chains/root-exceptions.js";
import type { Block, Receipt, Transaction } from "../chain.js";
import { bytesOfHex, rlpBytes, rlpList, rlpNumber } from "../rlp.js";
import { hasReceiptsRoot, isOfBlock, isStateSync, makeUpRoot, uncertainType } from "./receipts-root.js";
import { transactionsInTrie } from "./transaction-order.js";
import { encodeTransaction, isKnownType } from "./transactions-root.js";
import { trieRoot } from "./trie-root.js";

/**
 * The result of recomputing a part of a block. `unknown`: it cannot be recomputed. `wrong`: it was recomputed and differs.
 * `beside` names what the root does not cover, although the node returns it with the rest.
 */
export type Proof =
  | { readonly kind: "proved"; readonly beside?: string }
  | { readonly kind: "unknown"; readonly why: string }
  | { readonly kind: "wrong"; readonly why: string };

/** A proof of data that may be used, since nothing contradicts it. */
export type BelievableProof = Exclude<Proof, { readonly kind: "wrong" }>;

/** Anvil and Hardhat mine transactions of impersonated accounts, with zeros as their signature. */
const noSignature = "0x808080";

/** Blocks are immutable, and several readers of one block want the same proof. */
const known = new WeakMap<Block, Proof>();

/**
 * Recomputes the hashes of a block's transactions, and their root in the header.
 * @param chainId in decimal digits; it must be the same whenever a block is proved
 */
export function proveTransactions(block: Block, chainId: string): Proof {
  const proof = known.get(block) ?? recompute(block, chainId);
  known.set(block, proof);
  return proof;
}

function recompute(block: Block, chainId: string): Proof {
  const { number, transactionsRoot } = block;
  const own = transactionsInTrie(block);
  const encoded = own.map((transaction) => encodeSigned(transaction, chainId));
  const made = rootOf(encoded);
  for (const [at, { hash, index, signature }] of own.entries()) {
    const bytes = encoded[at];
    const other = bytes && signature !== undefined ? keccak256(bytes) : hash;
    if (other !== hash)
      return {
        kind: "wrong",
        why: `transaction ${index} of block ${number} has the hash ${hash}, but its fields make ${other}`,
      };
  }
  if (made === transactionsRoot) return { kind: "proved" };
  if (made === undefined || own.some(({ signature }) => signature === undefined))
    return { kind: "unknown", why: whyUnknown(own) };
  const ordinary = own.flatMap((transaction, at) => (isFree(transaction, block) ? [] : encoded[at]));
  if (ordinary.length < own.length && rootOf(ordinary) === transactionsRoot)
    return { kind: "proved", beside: "transactions that pay no fee, which the chain makes itself" };
  const all = own.length === 1 ? "transaction makes" : `${own.length} transactions make`;
  return {
    kind: "wrong",
    why: `block ${number} has the transactions root ${transactionsRoot}, but its ${all} ${made}`,
  };
}

/**
 * How the withdrawals of a block contradict the root in its header; `undefined` if they do not, or are not known.
 * @param isEthereum whether an empty list has to match as well. Rollups have another root in its place
 */
export function wrongWithdrawals(block: Block, isEthereum: boolean): string | undefined {
  const { number, withdrawals, withdrawalsRoot } = block;
  if (!withdrawals || withdrawalsRoot === undefined || (withdrawals.length === 0 && !isEthereum))
    return undefined;
  const encoded = withdrawals.map(({ index, validatorIndex, address, amount }) =>
    rlpList([rlpNumber(index), rlpNumber(validatorIndex), rlpBytes(bytesOfHex(address)), rlpNumber(amount)]),
  );
  const made = trieRoot(encoded);
  if (made === withdrawalsRoot) return undefined;
  return `block ${number} has the withdrawals root ${withdrawalsRoot}, but its withdrawals make ${made}`;
}

/**
 * Whether the hash of a block proves its header. Elsewhere, roots that do not match are not a fault: a chain
 * that hashes headers in its own way may compute them in its own way, too.
 */
export function isProvedHeader({ unprovedHeader, mixHash }: Block): boolean {
  // An archive leaves `mixHash` out of a header that it could not prove.
  return unprovedHeader === undefined && mixHash !== undefined;
}

function encodeSigned(transaction: Transaction, chainId: string): Uint8Array | undefined {
  const { signature = noSignature } = transaction;
  return encodeTransaction(
    { ...transaction, signature, accessList: transaction.accessList ?? "0xc0" },
    chainId,
  );
}

function rootOf(encoded: readonly (Uint8Array | undefined)[]): string | undefined {
  const all = encoded.filter((bytes) => bytes !== undefined);
  return all.length < encoded.length ? undefined : trieRoot(all);
}

/**
 * Whether a transaction is free although the block demands a fee. Chains such as HyperEVM leave these out of the
 * root.
 */
function isFree({ gasPrice }: Transaction, { baseFeePerGas }: Block): boolean {
  return gasPrice === 0n && baseFeePerGas !== null && baseFeePerGas > 0n;
}

function whyUnknown(transactions: readonly Transaction[]): string {
  const strange = transactions.find((transaction) => !isKnownType(transaction));
  return strange
    ? `transactions of type 0x${(strange.type ?? 0).toString(16)}, whose encoding is not known`
    : "transactions without a signature, from an earlier version of the archive or made by the chain itself";
}

/** Why receipts are believed where the root in the header is another than Ethereum's. */
export const foreignReceipts =
  "receipts of this chain are believed: it does not compute receipts roots in Ethereum's way";

const unprovedRoot = "receipts are believed: the headers that have their root are not proved";

/**
 * Checks all receipts of a block against the root in its header.
 * @param exception the chain's form of receipts roots in this block
 */
export function proveReceipts(
  receipts: readonly Receipt[],
  block: Block,
  exception: RootException["kind"] | undefined,
): Proof {
  // A root in an unproved header is not worth computing.
  if (!isProvedHeader(block)) return { kind: "unknown", why: unprovedRoot };
  if (!hasReceiptsRoot(block)) return { kind: "unknown", why: "block headers have no receipts root" };
  if (makeUpRoot(receipts, block)) return { kind: "proved" };
  const inTrie = receipts.filter((receipt) => !isStateSync(receipt, block));
  if (inTrie.length < receipts.length && makeUpRoot(inTrie, block))
    return { kind: "proved", beside: "receipts of state syncs" };
  if (hasForeignRoots(exception)) return { kind: "unknown", why: foreignReceipts };
  const type = uncertainType(receipts);
  if (type !== undefined)
    return { kind: "unknown", why: `the encoding of receipts of type 0x${type.toString(16)} is uncertain` };
  return {
    kind: "wrong",
    why: `the receipts of block ${block.number} do not match the receipts root in its header`,
  };
}

/**
 * A contradiction in the gas of receipts, or with the header; `undefined` if it does not.
 * @param receipts all receipts of a block, in order
 */
export function wrongGas(receipts: readonly Receipt[], block: Block): string | undefined {
  let before = 0n;
  for (const receipt of receipts) {
    if (isStateSync(receipt, block) || isOfBlock(receipt, block)) continue;
    const { transactionHash, gasUsed, cumulativeGasUsed } = receipt;
    if (gasUsed !== cumulativeGasUsed - before)
      return `the receipt of transaction ${transactionHash} in block ${block.number} says that it used ${gasUsed} gas, but the sum grows by ${cumulativeGasUsed - before}`;
    before = cumulativeGasUsed;
  }
  if (before === block.gasUsed) return undefined;
  return `the receipts of block ${block.number} say that it used ${before} gas, but its header says ${block.gasUsed}`;
}
