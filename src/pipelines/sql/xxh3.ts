/** Bytes that the algorithm mixes into the input, read as 64-bit numbers at any offset. */
const secret = Buffer.from(
  "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221" +
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8" +
    "fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb17" +
    "0ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e",
  "hex",
);
const [half1, half2, half3] = [0x9e3779b1n, 0x85ebca77n, 0xc2b2ae3dn];
const prime1 = 0x9e3779b185ebca87n;
const prime2 = 0xc2b2ae3d27d4eb4fn;
const prime3 = 0x165667b19e3779f9n;
const prime4 = 0x85ebca77c2b2ae63n;
const prime5 = 0x27d4eb2f165667c5n;
const [mix1, mix2] = [0x165667919e3779f9n, 0x9fb21c651e98df25n];
const low32 = 0xffff_ffffn;
const stripe = 64;
const stripesOfBlock = (secret.length - stripe) / 8;

/** A number of 128 bits, in two halves. */
interface Halves {
  readonly low: bigint;
  readonly high: bigint;
}

/**
 * XXH3 with 128 bits and seed 0, of the bytes of a text in UTF-8.
 * @returns 32 hex digits
 */
export function xxh3(text: string): string {
  const { low, high } = hashOf(Buffer.from(text));
  return `${hex(high)}${hex(low)}`;
}

/** The algorithm computes short inputs in other ways than long ones. */
function hashOf(input: Buffer): Halves {
  if (input.length > 240) return ofLong(input);
  if (input.length > 16) return ofMiddle(input);
  if (input.length > 8) return of9To16(input);
  if (input.length > 3) return of4To8(input);
  return ofTiny(input);
}

function ofTiny(input: Buffer): Halves {
  const { length } = input;
  if (length === 0) {
    const keys = { low: key(64) ^ key(72), high: key(80) ^ key(88) };
    return { low: finalOf64(keys.low), high: finalOf64(keys.high) };
  }
  const [first = 0, middle = 0, last = 0] = [input[0], input[length >> 1], input[length - 1]];
  const bytes = Buffer.from([last, length, first, middle]);
  const low = BigInt(bytes.readUInt32LE(0));
  const swapped = BigInt(bytes.readUInt32BE(0));
  const high = ((swapped << 13n) | (swapped >> 19n)) & low32;
  const halfKey = (offset: number): bigint => BigInt(secret.readUInt32LE(offset));
  return {
    low: finalOf64(low ^ halfKey(0) ^ halfKey(4)),
    high: finalOf64(high ^ halfKey(8) ^ halfKey(12)),
  };
}

function of4To8(input: Buffer): Halves {
  const { length } = input;
  const value = BigInt(input.readUInt32LE(0)) | (BigInt(input.readUInt32LE(length - 4)) << 32n);
  const product = times(value ^ key(16) ^ key(24), wrapped(prime1 + BigInt(length * 4)));
  const high = wrapped(product.high + (product.low << 1n));
  const low = product.low ^ (high >> 3n);
  const mixed = wrapped((low ^ (low >> 35n)) * mix2);
  return { low: mixed ^ (mixed >> 28n), high: final(high) };
}

function of9To16(input: Buffer): Halves {
  const { length } = input;
  const [first, last] = [word(input, 0), word(input, length - 8)];
  const product = times(first ^ last ^ key(32) ^ key(40), prime1);
  const keyed = last ^ key(48) ^ key(56);
  const high = wrapped(product.high + keyed + (keyed & low32) * (half2 - 1n));
  const low = wrapped(product.low + (BigInt(length - 1) << 54n)) ^ swapped64(high);
  const again = times(low, prime2);
  return { low: final(again.low), high: final(wrapped(again.high + high * prime2)) };
}

function ofMiddle(input: Buffer): Halves {
  const { length } = input;
  let sum: Halves = { low: wrapped(BigInt(length) * prime1), high: 0n };
  if (length <= 128) {
    for (let pair = Math.floor((length - 1) / 32); pair >= 0; pair -= 1)
      sum = mixed(sum, input, pair * 16, length - 16 - pair * 16, pair * 32);
  } else {
    for (let at = 0; at < 128; at += 32) sum = mixed(sum, input, at, at + 16, at);
    sum = { low: final(sum.low), high: final(sum.high) };
    for (let at = 128; at + 32 <= length; at += 32) sum = mixed(sum, input, at, at + 16, at - 125);
    sum = mixed(sum, input, length - 16, length - 32, 103);
  }
  const high = sum.low * prime1 + sum.high * prime4 + BigInt(length) * prime2;
  return { low: final(wrapped(sum.low + sum.high)), high: wrapped(-final(wrapped(high))) };
}

/** Adds two pieces of 16 bytes to a sum. */
function mixed(sum: Halves, input: Buffer, one: number, other: number, keys: number): Halves {
  return {
    low: wrapped(sum.low + foldedPiece(input, one, keys)) ^ pieceSum(input, other),
    high: wrapped(sum.high + foldedPiece(input, other, keys + 16)) ^ pieceSum(input, one),
  };
}

function foldedPiece(input: Buffer, at: number, keys: number): bigint {
  return folded(word(input, at) ^ key(keys), word(input, at + 8) ^ key(keys + 8));
}

function pieceSum(input: Buffer, at: number): bigint {
  return wrapped(word(input, at) + word(input, at + 8));
}

function ofLong(input: Buffer): Halves {
  const { length } = input;
  const lanes = [half3, prime1, prime2, prime3, prime4, half2, prime5, half1];
  const stripes = Math.floor((length - 1) / stripe);
  for (let done = 0; done < stripes; done += 1) {
    accumulate(lanes, input, done * stripe, (done % stripesOfBlock) * 8);
    if (done % stripesOfBlock === stripesOfBlock - 1) scramble(lanes);
  }
  accumulate(lanes, input, length - stripe, secret.length - stripe - 7);
  return {
    low: merged(lanes, 11, wrapped(BigInt(length) * prime1)),
    high: merged(lanes, secret.length - stripe - 11, wrapped(~(BigInt(length) * prime2))),
  };
}

function accumulate(lanes: bigint[], input: Buffer, at: number, keys: number): void {
  const before = [...lanes];
  for (const lane of lanes.keys()) {
    const keyed = word(input, at + lane * 8) ^ key(keys + lane * 8);
    const other = word(input, at + (lane ^ 1) * 8);
    lanes[lane] = wrapped((before[lane] ?? 0n) + other + (keyed & low32) * (keyed >> 32n));
  }
}

function scramble(lanes: bigint[]): void {
  for (const [lane, value] of lanes.entries())
    lanes[lane] = wrapped((value ^ (value >> 47n) ^ key(secret.length - stripe + lane * 8)) * half1);
}

function merged(lanes: readonly bigint[], keys: number, start: bigint): bigint {
  let sum = start;
  for (let lane = 0; lane < lanes.length; lane += 2) {
    const [one = 0n, other = 0n] = lanes.slice(lane, lane + 2);
    sum += folded(one ^ key(keys + lane * 8), other ^ key(keys + lane * 8 + 8));
  }
  return final(wrapped(sum));
}

function times(one: bigint, other: bigint): Halves {
  const product = one * other;
  return { low: wrapped(product), high: product >> 64n };
}

function folded(one: bigint, other: bigint): bigint {
  const { low, high } = times(one, other);
  return low ^ high;
}

function final(value: bigint): bigint {
  const made = wrapped((value ^ (value >> 37n)) * mix1);
  return made ^ (made >> 32n);
}

function finalOf64(value: bigint): bigint {
  const first = wrapped((value ^ (value >> 33n)) * prime2);
  const second = wrapped((first ^ (first >> 29n)) * prime3);
  return second ^ (second >> 32n);
}

function swapped64(value: bigint): bigint {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.readBigUInt64BE();
}

function word(input: Buffer, at: number): bigint {
  return input.readBigUInt64LE(at);
}

function key(at: number): bigint {
  return secret.readBigUInt64LE(at);
}

function wrapped(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function hex(value: bigint): string {
  return value.toString(16).padStart(16, "0");
}
