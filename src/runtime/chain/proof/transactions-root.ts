import type { Transaction } from "../chain.js";
import { bytesOfHex, rlpBytes, rlpList, rlpNumber } from "../rlp.js";

/** Types of transactions whose encoding is known: legacy, access list, dynamic fee, blobs, set code. */
const knownTypes: ReadonlySet<number> = new Set([0, 1, 2, 3, 4]);

/** Whether the encoding of transactions of a type is known. */
export function isKnownType({ type = 0 }: Transaction): boolean {
  return knownTypes.has(type);
}

/**
 * A signed transaction in the encoding of the trie, from which its hash is computed.
 * @param chainId the chain's id in decimal digits, for a transaction without one
 * @returns `undefined` when its type is unknown, or its signature is missing
 */
export function encodeTransaction(transaction: Transaction, chainId: string): Uint8Array | undefined {
  const { type = 0, to, value, input, gasLimit, nonce, gasPrice, signature, accessList } = transaction;
  if (signature === undefined || !knownTypes.has(type)) return undefined;
  const call = [rlpNumber(gasLimit), to === null ? rlpBytes(new Uint8Array()) : bytes(to), rlpNumber(value)];
  const data = bytes(input);
  const signed = bytesOfHex(signature);
  if (type === 0) return rlpList([rlpNumber(nonce), rlpNumber(gasPrice), ...call, data, signed]);
  if (accessList === undefined) return undefined;
  const start = [rlpNumber(BigInt(transaction.chainId ?? chainId)), rlpNumber(nonce)];
  const end = [...call, data, bytesOfHex(accessList)];
  if (type === 1) return typed(type, [...start, rlpNumber(gasPrice), ...end, signed]);
  const rest = restOf(transaction);
  return rest && typed(type, [...start, ...rest.fees, ...end, ...rest.own, signed]);
}

/** The fees of a transaction with dynamic fees, and what its type has beyond those. */
function restOf({
  type,
  maxFeePerGas,
  maxPriorityFeePerGas,
  maxFeePerBlobGas,
  blobVersionedHashes,
  authorizations,
}: Transaction): { readonly fees: readonly Uint8Array[]; readonly own: readonly Uint8Array[] } | undefined {
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined) return undefined;
  const fees = [rlpNumber(maxPriorityFeePerGas), rlpNumber(maxFeePerGas)];
  if (type === 2) return { fees, own: [] };
  if (type === 4)
    return authorizations === undefined ? undefined : { fees, own: [bytesOfHex(authorizations)] };
  if (maxFeePerBlobGas === undefined || blobVersionedHashes === undefined) return undefined;
  return { fees, own: [rlpNumber(maxFeePerBlobGas), rlpList(blobVersionedHashes.map(bytes))] };
}

function typed(type: number, fields: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Uint8Array.of(type), rlpList(fields)]);
}

function bytes(hex: string): Uint8Array {
  return rlpBytes(bytesOfHex(hex));
}
