import { concat, decodeRlp, getBytes, keccak256, toBeHex } from "ethers";
import type { Block, BlockPointer, Log, Receipt } from "./chain.js";
import { rlpBytes, rlpList, rlpNumber } from "./rlp.js";
import { trieRoot } from "./trie-root.js";

/** A deposit of the OP stack; since Canyon its receipts have two fields more. */
const opDeposit = 0x7e;
const knownTypes: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, opDeposit]);
/** The root of a trie without values. */
const emptyRoot = trieRoot([]);
const zeroRoot = `0x${"0".repeat(64)}`;

/** Whether a header has the root of its receipts: some chains leave it out. */
export function hasReceiptsRoot({ receiptsRoot, transactions }: Block): boolean {
  return receiptsRoot !== zeroRoot && (transactions.size === 0 || receiptsRoot !== emptyRoot);
}

/** Whether receipts, in the order of their transactions, are all those that a header tells of. */
export function makeUpRoot(receipts: readonly Receipt[], { receiptsRoot }: Block): boolean {
  return trieRoot(receipts.map(encodeReceipt)) === receiptsRoot;
}

/** The same for receipts in the encoding of the trie, as `debug_getRawReceipts` gives them. */
export function rawMakeUpRoot(raw: readonly string[], { receiptsRoot }: Block): boolean {
  return trieRoot(raw.map((receipt) => getBytes(receipt))) === receiptsRoot;
}

/** The first type of receipt whose encoding is not known. */
export function unknownType(receipts: readonly Receipt[]): number | undefined {
  return receipts.map(({ type = 0 }) => type).find((type) => !knownTypes.has(type));
}

/** Whether the logs of receipts are those of receipts in the encoding of the trie. */
export function haveLogsOf(receipts: readonly Receipt[], raw: readonly string[]): boolean {
  return (
    receipts.length === raw.length &&
    receipts.every(({ logs }, index) => JSON.stringify(logs.map(contentOf)) === logsText(raw[index] ?? "0x"))
  );
}

/**
 * Polygon has the receipt of what it takes over from Ethereum beside the others and not in the trie; its transaction is
 * named after the block.
 */
export function isStateSync({ transactionHash }: Receipt, { number, hash }: BlockPointer): boolean {
  const prefix = `0x${Buffer.from("matic-bor-receipt-").toString("hex")}`;
  return transactionHash === keccak256(concat([prefix, toBeHex(number, 8), hash]));
}

/** A receipt as its trie has it. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const { type = 0, status, root, cumulativeGasUsed, logsBloom, logs, deposit } = receipt;
  const fields = [
    status === null && root !== null ? rlpBytes(getBytes(root)) : rlpNumber(status ?? 0n),
    rlpNumber(cumulativeGasUsed),
    rlpBytes(getBytes(logsBloom)),
    rlpList(logs.map(encodeLog)),
    ...(type === opDeposit && deposit ? [rlpNumber(deposit.nonce), rlpNumber(deposit.version)] : []),
  ];
  const payload = rlpList(fields);
  return type === 0 ? payload : Buffer.concat([Uint8Array.of(type), payload]);
}

function encodeLog({ address, topics, data }: Log): Uint8Array {
  return rlpList([
    rlpBytes(getBytes(address)),
    rlpList(topics.map((topic) => rlpBytes(getBytes(topic)))),
    rlpBytes(getBytes(data)),
  ]);
}

function contentOf({ address, topics, data }: Log): unknown {
  return [address, topics, data];
}

/** The logs of an encoded receipt as JSON; a type stands before the list, whose first byte is 0xc0 or more. */
function logsText(raw: string): string {
  const isTyped = Number.parseInt(raw.slice(2, 4), 16) < 0xc0;
  const fields = decodeRlp(isTyped ? `0x${raw.slice(4)}` : raw);
  return JSON.stringify(Array.isArray(fields) ? fields[3] : undefined);
}
