import { concat, decodeRlp, toBeHex } from "ethers/utils";
import { keccak256 } from "../../../base/keccak.js";
import type { Block, BlockPointer, Log, Receipt } from "../chain.js";
import { bytesOfHex, rlpBytes, rlpList, rlpNumber } from "../rlp.js";
import { Bloom } from "./bloom.js";
import { trieRoot } from "./trie-root.js";

/** An OP Stack deposit; since Canyon its receipts have two more fields. A message from layer 1 on Scroll has none. */
const opDeposit = 0x7e;
/** An Arbitrum transaction from before Nitro, whose receipt is encoded without its type. */
const arbitrumLegacy = 0x78;
/** Types whose receipts are the type and Ethereum's four fields: Ethereum's own and Arbitrum's (OffchainLabs/go-ethereum). */
const plainTypes: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 0x64, 0x65, 0x66, 0x68, 0x69, 0x6a]);
/** The root of a trie without values. */
const emptyRoot = trieRoot([]);
const zeroRoot = `0x${"0".repeat(64)}`;

/** Whether a header contains its receipts root; some chains omit it. */
export function hasReceiptsRoot({
  receiptsRoot,
  transactions,
}: Pick<Block, "receiptsRoot"> & { readonly transactions: { readonly size: number } }): boolean {
  return receiptsRoot !== zeroRoot && (transactions.size === 0 || receiptsRoot !== emptyRoot);
}

/** Several readers of one answer want the same root. */
const roots = new WeakMap<readonly Receipt[], string>();

/** Whether receipts, in the order of their transactions, match the header's receipts root. */
export function makeUpRoot(receipts: readonly Receipt[], { receiptsRoot }: Block): boolean {
  const root = roots.get(receipts) ?? trieRoot(receipts.map(encodeReceipt));
  roots.set(receipts, root);
  return root === receiptsRoot;
}

/** The same for receipts in the encoding of the trie, as `debug_getRawReceipts` returns them. */
export function rawMakeUpRoot(raw: readonly string[], { receiptsRoot }: Block): boolean {
  return trieRoot(raw.map((receipt) => bytesOfHex(receipt))) === receiptsRoot;
}

/**
 * The first receipt type whose encoding is not known for certain. Such receipts may have fields that nodes do not return:
 * deposits of the OP Stack without a version, and Celo's transactions that pay fees in tokens (0x7b).
 */
export function uncertainType(receipts: readonly Receipt[]): number | undefined {
  return receipts.find(({ type = 0, deposit }) => !plainTypes.has(type) && !(type === opDeposit && deposit))
    ?.type;
}

/**
 * Whether a log or receipt belongs to a block and to none of its transactions: nodes then name the block's hash in
 * place of a transaction.
 */
export function isOfBlock(
  { transactionHash }: { readonly transactionHash: string },
  block: BlockPointer,
): boolean {
  return transactionHash === block.hash;
}

/** Celo's receipt of the logs that a block emits outside of transactions, until its move to a layer 2. */
export function blockReceiptOf(block: BlockPointer, index: number, logs: readonly Log[]): Receipt {
  return {
    type: 0,
    transactionHash: block.hash,
    transactionIndex: index,
    block: { number: block.number, hash: block.hash },
    cumulativeGasUsed: 0n,
    gasUsed: 0n,
    contractAddress: null,
    logs,
    status: 1n,
    root: null,
    logsBloom: Bloom.of(logs).hex,
  };
}

/** Whether receipts contain the same logs as receipts in the encoding of the trie. */
export function haveLogsOf(receipts: readonly Receipt[], raw: readonly string[]): boolean {
  return (
    receipts.length === raw.length &&
    receipts.every(({ logs }, index) => JSON.stringify(logs.map(contentOf)) === logsText(raw[index] ?? "0x"))
  );
}

/**
 * Whether a receipt or a log belongs to a Polygon state sync. Polygon returns this receipt with the others,
 * but does not include it in the trie. The hash of its transaction derives from the block.
 */
export function isStateSync(
  { transactionHash }: Pick<Receipt, "transactionHash">,
  block: BlockPointer,
): boolean {
  return transactionHash === stateSyncOf(block);
}

const prefix = `0x${Buffer.from("matic-bor-receipt-").toString("hex")}`;
/** The last block, since all receipts of a block are compared one by one. */
let last = { number: -1, hash: "", transaction: "" };

/** The hash of the transaction of a block's state sync. */
function stateSyncOf({ number, hash }: BlockPointer): string {
  if (last.hash !== hash || last.number !== number)
    last = { number, hash, transaction: keccak256(concat([prefix, toBeHex(number, 8), hash])) };
  return last.transaction;
}

/** A receipt in the encoding of the trie. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const { type = 0, status, root, cumulativeGasUsed, logsBloom, logs, deposit } = receipt;
  const fields = [
    status === null && root !== null ? rlpBytes(bytesOfHex(root)) : rlpNumber(status ?? 0n),
    rlpNumber(cumulativeGasUsed),
    rlpBytes(bytesOfHex(logsBloom)),
    rlpList(logs.map(encodeLog)),
    ...(type === opDeposit && deposit ? [rlpNumber(deposit.nonce), rlpNumber(deposit.version)] : []),
  ];
  const payload = rlpList(fields);
  return type === 0 || type === arbitrumLegacy ? payload : Buffer.concat([Uint8Array.of(type), payload]);
}

function encodeLog({ address, topics, data }: Log): Uint8Array {
  return rlpList([
    rlpBytes(bytesOfHex(address)),
    rlpList(topics.map((topic) => rlpBytes(bytesOfHex(topic)))),
    rlpBytes(bytesOfHex(data)),
  ]);
}

function contentOf({ address, topics, data }: Log): unknown {
  return [address, topics, data];
}

/** The logs of an encoded receipt as JSON. A type precedes the list, whose first byte is 0xc0 or more. */
function logsText(raw: string): string {
  const isTyped = Number.parseInt(raw.slice(2, 4), 16) < 0xc0;
  const fields = decodeRlp(isTyped ? `0x${raw.slice(4)}` : raw);
  return JSON.stringify(Array.isArray(fields) ? fields[3] : undefined);
}
