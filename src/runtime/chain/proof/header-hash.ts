import { keccak256 } from "../../../base/keccak.js";
import type { Block } from "../chain.js";
import { bytesOfHex, rlpBytes, rlpList, rlpNumber } from "../rlp.js";

/**
 * Computes the hash of a block from its header, in Ethereum's form.
 * @returns `undefined` when the block lacks a field that every header has, or one before another that it has
 */
export function headerHash(block: Omit<Block, "transactions">): string | undefined {
  const { logsBloom, extraData, mixHash, nonce } = block;
  if (logsBloom === undefined || extraData === undefined || mixHash === undefined || nonce === undefined)
    return undefined;
  const later = laterFields(block);
  if (!later) return undefined;
  return keccak256(
    rlpList([
      ...[block.parentHash, block.unclesHash, block.author].map(bytes),
      ...[block.stateRoot, block.transactionsRoot, block.receiptsRoot, logsBloom].map(bytes),
      ...[block.difficulty, block.number, block.gasLimit, block.gasUsed, block.timestamp].map(rlpNumber),
      ...[extraData, mixHash, nonce].map(bytes),
      ...later,
    ]),
  );
}

/**
 * The block to keep: without its `mixHash`, and so without a hash that can be recomputed, if its header has another
 * form than Ethereum's. A later mismatch then always means a change of the block, not an unknown form.
 */
export function withProvableHeader(block: Block): Block {
  if (block.mixHash === undefined || headerHash(block) === block.hash) return block;
  const { mixHash: _, ...rest } = block;
  return rest;
}

/** Fields that forks have added, in order; `undefined` when one is missing between others. */
function laterFields(block: Omit<Block, "transactions">): readonly Uint8Array[] | undefined {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas } = block;
  const fields = [
    baseFeePerGas === null ? undefined : rlpNumber(baseFeePerGas),
    optional(withdrawalsRoot, bytes),
    optional(blobGasUsed, rlpNumber),
    optional(excessBlobGas, rlpNumber),
    optional(block.parentBeaconBlockRoot, bytes),
    optional(block.requestsHash, bytes),
  ];
  const known = fields.filter((field) => field !== undefined);
  return fields.slice(0, known.length).includes(undefined) ? undefined : known;
}

function optional<T>(value: T | undefined, encode: (value: T) => Uint8Array): Uint8Array | undefined {
  return value === undefined ? undefined : encode(value);
}

function bytes(hex: string): Uint8Array {
  return rlpBytes(bytesOfHex(hex));
}
