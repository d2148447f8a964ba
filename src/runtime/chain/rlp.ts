/** RLP, the encoding of Ethereum's tries: bytes, and lists of encoded items. */

const shortest = 56;

/** Encodes bytes. */
export function rlpBytes(bytes: Uint8Array): Uint8Array {
  const isOwnEncoding = bytes.length === 1 && (bytes[0] ?? 0) < 0x80;
  return isOwnEncoding ? bytes : Buffer.concat([lengthPrefix(bytes.length, 0x80), bytes]);
}

/** Encodes a list. @param items encoded items */
export function rlpList(items: readonly Uint8Array[]): Uint8Array {
  const length = items.reduce((sum, item) => sum + item.length, 0);
  return Buffer.concat([lengthPrefix(length, 0xc0), ...items]);
}

/** Encodes a non-negative number, without leading zeros. */
export function rlpNumber(number: bigint | number): Uint8Array {
  return rlpBytes(bytesOf(BigInt(number)));
}

/**
 * The bytes of hex that was checked during decoding. The usual function would check again, which takes most of its
 * time.
 */
export function bytesOfHex(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), "hex");
}

function lengthPrefix(length: number, base: number): Uint8Array {
  if (length < shortest) return Uint8Array.of(base + length);
  const size = bytesOf(BigInt(length));
  return Buffer.concat([Uint8Array.of(base + shortest - 1 + size.length), size]);
}

function bytesOf(number: bigint): Uint8Array {
  const bytes: number[] = [];
  for (let left = number; left > 0n; left >>= 8n) bytes.unshift(Number(left & 0xffn));
  return Uint8Array.from(bytes);
}
