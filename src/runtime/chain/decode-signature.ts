import { hexlify } from "ethers/utils";
import type { Transaction } from "./chain.js";
import { addressLength, type Fields, hashLength, hexOf } from "./fields.js";
import { rlpBytes, rlpList } from "./rlp.js";

/** Encoded lists without entries, which most transactions have. */
const emptyList = "0xc0";

type Signed = Pick<Transaction, "signature" | "accessList" | "authorizations">;

/**
 * The fields that a transaction's hash covers but no handler sees. Missing and malformed fields are left out, since
 * chains differ in them; so is the signature of an unsigned transaction.
 */
export function decodeSignature(fields: Fields, type: number | undefined): Signed {
  const isTyped = type !== undefined && type > 0;
  const signature = signatureOf(fields, isTyped);
  if (signature === undefined) return {};
  const accessList = isTyped ? listOf(fields.raw("accessList"), encodeAccess) : undefined;
  const authorizations =
    type === 4 ? listOf(fields.raw("authorizationList"), encodeAuthorization) : undefined;
  return {
    signature,
    ...(accessList !== undefined && { accessList }),
    ...(authorizations !== undefined && { authorizations }),
  };
}

function signatureOf(fields: Fields, isTyped: boolean): string | undefined {
  const v = (isTyped && quantityItem(fields.raw("yParity"))) || quantityItem(fields.raw("v"));
  const [r, s] = [quantityItem(fields.raw("r")), quantityItem(fields.raw("s"))];
  if (v === undefined || r === undefined || s === undefined || (r === zero && s === zero)) return undefined;
  return `0x${v}${r}${s}`;
}

const zero = "80";
const quantityPattern = /^0x([0-9a-f]{1,64})$/i;

/**
 * A quantity as an RLP item, in hex without "0x". Every transaction has three, so this avoids creating byte arrays.
 */
function quantityItem(value: unknown): string | undefined {
  const [, given] = typeof value === "string" ? (quantityPattern.exec(value) ?? []) : [];
  if (given === undefined) return undefined;
  const digits = given.toLowerCase().replace(/^0+/, "");
  const even = digits.length % 2 === 1 ? `0${digits}` : digits;
  if (even.length === 2 && even < "80") return even;
  return `${(0x80 + even.length / 2).toString(16)}${even}`;
}

/** A list as RLP; `undefined` when it or an entry is malformed. */
function listOf(
  value: unknown,
  encode: (entry: Readonly<Record<string, unknown>>) => Uint8Array | undefined,
): string | undefined {
  if (!Array.isArray(value)) return undefined;
  if (value.length === 0) return emptyList;
  const entries = value.map((entry) => (typeof entry === "object" && entry ? encode(entry) : undefined));
  const known = entries.filter((entry) => entry !== undefined);
  return known.length === entries.length ? hexlify(rlpList(known)) : undefined;
}

function encodeAccess({ address, storageKeys }: Readonly<Record<string, unknown>>): Uint8Array | undefined {
  if (!Array.isArray(storageKeys)) return undefined;
  const items = [hexOf(address, addressLength), ...storageKeys.map((key) => hexOf(key, hashLength))];
  const [first, ...keys] = items.map((item) => (item === undefined ? undefined : bytes(item)));
  const known = keys.filter((key) => key !== undefined);
  return first && known.length === keys.length ? rlpList([first, rlpList(known)]) : undefined;
}

function encodeAuthorization(entry: Readonly<Record<string, unknown>>): Uint8Array | undefined {
  const { chainId, nonce, yParity, v, r, s } = entry;
  const address = hexOf(entry.address, addressLength);
  const quantities = [chainId, nonce, yParity ?? v, r, s].map(quantityItem);
  const known = quantities.filter((item) => item !== undefined).map((item) => Buffer.from(item, "hex"));
  const [chain, ...rest] = known;
  if (address === undefined || !chain || known.length < quantities.length) return undefined;
  return rlpList([chain, bytes(address), ...rest]);
}

function bytes(hex: string): Uint8Array {
  return rlpBytes(Buffer.from(hex.slice(2), "hex"));
}
