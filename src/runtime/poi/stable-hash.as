// The hash of proofs of indexing: a multiset of writes, each of some bytes at an address. It is stable-hash 0.4's fast hasher
// with graph-node's encoding of events. Memory: a state of 32 bytes at 0, scratch space, then what the caller wrote.

/** Start of the caller's bytes. */
export const input: usize = 1024;
const scratch: usize = 512;
/** The 192 bytes that XXH3 mixes into its input, and those for the seed of a long input. */
const secret: usize = 64;
const seeded: usize = 256;

const PRIME32_1: u64 = 0x9e3779b1;
const PRIME32_2: u64 = 0x85ebca77;
const PRIME32_3: u64 = 0xc2b2ae3d;
const PRIME64_1: u64 = 0x9e3779b185ebca87;
const PRIME64_2: u64 = 0xc2b2ae3d27d4eb4f;
const PRIME64_3: u64 = 0x165667b19e3779f9;
const PRIME64_4: u64 = 0x85ebca77c2b2ae63;
const PRIME64_5: u64 = 0x27d4eb2f165667c5;

/** Puts the secret into memory. To be called once. */
export function start(): void {
  store<u64>(secret + 0, 0xbe4ba423396cfeb8);
  store<u64>(secret + 8, 0x1cad21f72c81017c);
  store<u64>(secret + 16, 0xdb979083e96dd4de);
  store<u64>(secret + 24, 0x1f67b3b7a4a44072);
  store<u64>(secret + 32, 0x78e5c0cc4ee679cb);
  store<u64>(secret + 40, 0x2172ffcc7dd05a82);
  store<u64>(secret + 48, 0x8e2443f7744608b8);
  store<u64>(secret + 56, 0x4c263a81e69035e0);
  store<u64>(secret + 64, 0xcb00c391bb52283c);
  store<u64>(secret + 72, 0xa32e531b8b65d088);
  store<u64>(secret + 80, 0x4ef90da297486471);
  store<u64>(secret + 88, 0xd8acdea946ef1938);
  store<u64>(secret + 96, 0x3f349ce33f76faa8);
  store<u64>(secret + 104, 0x1d4f0bc7c7bbdcf9);
  store<u64>(secret + 112, 0x3159b4cd4be0518a);
  store<u64>(secret + 120, 0x647378d9c97e9fc8);
  store<u64>(secret + 128, 0xc3ebd33483acc5ea);
  store<u64>(secret + 136, 0xeb6313faffa081c5);
  store<u64>(secret + 144, 0x49daf0b751dd0d17);
  store<u64>(secret + 152, 0x9e68d429265516d3);
  store<u64>(secret + 160, 0xfca1477d58be162b);
  store<u64>(secret + 168, 0xce31d07ad1b8f88f);
  store<u64>(secret + 176, 0x280416958f3acb45);
  store<u64>(secret + 184, 0x7e404bbbcafbd7af);
}

// The state: a number of 192 bits, and the number of writes.
let x0: u64, x1: u64, x2: u64, writes: u64;
// What a product of 64 by 64 bits is, and what a hash is.
let low: u64, high: u64;
// The address of the next write.
let lowAddress: u64, highAddress: u64;

@inline function multiply(one: u64, other: u64): void {
  const a = one & 0xffffffff, b = one >> 32, c = other & 0xffffffff, d = other >> 32;
  const ac = a * c, bc = b * c, ad = a * d;
  const middle = (ac >> 32) + (bc & 0xffffffff) + ad;
  low = (middle << 32) | (ac & 0xffffffff);
  high = b * d + (bc >> 32) + (middle >> 32);
}

@inline function folded(one: u64, other: u64): u64 {
  multiply(one, other);
  return low ^ high;
}

@inline function avalanche(value: u64): u64 {
  value = (value ^ (value >> 37)) * 0x165667919e3779f9;
  return value ^ (value >> 32);
}

@inline function avalanche64(value: u64): u64 {
  value = (value ^ (value >> 33)) * PRIME64_2;
  value = (value ^ (value >> 29)) * PRIME64_3;
  return value ^ (value >> 32);
}

@inline function key(at: usize): u64 {
  return load<u64>(secret + at);
}

/** XXH3 with 128 bits, into `low` and `high`. */
function xxh3(at: usize, length: usize, seed: u64): void {
  if (length > 240) ofLong(at, length, seed);
  else if (length > 16) ofMiddle(at, length, seed);
  else if (length > 8) of9To16(at, length, seed);
  else if (length > 3) of4To8(at, length, seed);
  else ofTiny(at, length, seed);
}

function ofTiny(at: usize, length: usize, seed: u64): void {
  if (length == 0) {
    low = avalanche64(seed ^ key(64) ^ key(72));
    high = avalanche64(seed ^ key(80) ^ key(88));
    return;
  }
  const first = <u32>load<u8>(at), middle = <u32>load<u8>(at + (length >> 1)), last = <u32>load<u8>(at + length - 1);
  const one = (first << 16) | (middle << 24) | last | (<u32>length << 8);
  const other = rotl<u32>(bswap<u32>(one), 13);
  low = avalanche64(<u64>one ^ ((<u64>(load<u32>(secret) ^ load<u32>(secret + 4))) + seed));
  high = avalanche64(<u64>other ^ ((<u64>(load<u32>(secret + 8) ^ load<u32>(secret + 12))) - seed));
}

function of4To8(at: usize, length: usize, seed: u64): void {
  seed ^= <u64>bswap<u32>(<u32>seed) << 32;
  const value = <u64>load<u32>(at) + (<u64>load<u32>(at + length - 4) << 32);
  multiply(value ^ ((key(16) ^ key(24)) + seed), PRIME64_1 + (<u64>length << 2));
  high += low << 1;
  low ^= high >> 3;
  low = (low ^ (low >> 35)) * 0x9fb21c651e98df25;
  low ^= low >> 28;
  high = avalanche(high);
}

function of9To16(at: usize, length: usize, seed: u64): void {
  const first = load<u64>(at), last = load<u64>(at + length - 8);
  multiply(first ^ last ^ ((key(32) ^ key(40)) - seed), PRIME64_1);
  low += <u64>(length - 1) << 54;
  const keyed = last ^ ((key(48) ^ key(56)) + seed);
  high += keyed + (keyed & 0xffffffff) * (PRIME32_2 - 1);
  low ^= bswap<u64>(high);
  const before = high;
  multiply(low, PRIME64_2);
  low = avalanche(low);
  high = avalanche(high + before * PRIME64_2);
}

let sumLow: u64, sumHigh: u64;

@inline function foldedPiece(at: usize, keys: usize, seed: u64): u64 {
  return folded(load<u64>(at) ^ (key(keys) + seed), load<u64>(at + 8) ^ (key(keys + 8) - seed));
}

function mix(one: usize, other: usize, keys: usize, seed: u64): void {
  sumLow = (sumLow + foldedPiece(one, keys, seed)) ^ (load<u64>(other) + load<u64>(other + 8));
  sumHigh = (sumHigh + foldedPiece(other, keys + 16, seed)) ^ (load<u64>(one) + load<u64>(one + 8));
}

function ofMiddle(at: usize, length: usize, seed: u64): void {
  sumLow = <u64>length * PRIME64_1;
  sumHigh = 0;
  if (length <= 128) {
    for (let pair = <i32>((length - 1) / 32); pair >= 0; pair--)
      mix(at + pair * 16, at + length - 16 - pair * 16, pair * 32, seed);
  } else {
    for (let part: usize = 0; part < 128; part += 32) mix(at + part, at + part + 16, part, seed);
    sumLow = avalanche(sumLow);
    sumHigh = avalanche(sumHigh);
    for (let part: usize = 128; part + 32 <= length; part += 32)
      mix(at + part, at + part + 16, part - 125, seed);
    mix(at + length - 16, at + length - 32, 103, 0 - seed);
  }
  low = avalanche(sumLow + sumHigh);
  high = 0 - avalanche(sumLow * PRIME64_1 + sumHigh * PRIME64_4 + (<u64>length - seed) * PRIME64_2);
}

const lanes: usize = 448;

function ofLong(at: usize, length: usize, seed: u64): void {
  for (let part: usize = 0; part < 192; part += 16) {
    store<u64>(seeded + part, key(part) + seed);
    store<u64>(seeded + part + 8, key(part + 8) - seed);
  }
  store<u64>(lanes, PRIME32_3);
  store<u64>(lanes + 8, PRIME64_1);
  store<u64>(lanes + 16, PRIME64_2);
  store<u64>(lanes + 24, PRIME64_3);
  store<u64>(lanes + 32, PRIME64_4);
  store<u64>(lanes + 40, PRIME32_2);
  store<u64>(lanes + 48, PRIME64_5);
  store<u64>(lanes + 56, PRIME32_1);
  const stripes = (length - 1) / 64;
  for (let stripe: usize = 0; stripe < stripes; stripe++) {
    accumulate(at + stripe * 64, seeded + (stripe & 15) * 8);
    if ((stripe & 15) == 15) scramble();
  }
  accumulate(at + length - 64, seeded + 121);
  const made = merged(seeded + 11, <u64>length * PRIME64_1);
  high = merged(seeded + 117, ~(<u64>length * PRIME64_2));
  low = made;
}

function accumulate(at: usize, keys: usize): void {
  for (let lane: usize = 0; lane < 64; lane += 8) {
    const value = load<u64>(at + lane), keyed = value ^ load<u64>(keys + lane);
    store<u64>(lanes + (lane ^ 8), load<u64>(lanes + (lane ^ 8)) + value);
    store<u64>(lanes + lane, load<u64>(lanes + lane) + (keyed & 0xffffffff) * (keyed >> 32));
  }
}

function scramble(): void {
  for (let lane: usize = 0; lane < 64; lane += 8) {
    const value = load<u64>(lanes + lane);
    store<u64>(lanes + lane, (value ^ (value >> 47) ^ load<u64>(seeded + 128 + lane)) * PRIME32_1);
  }
}

function merged(keys: usize, sum: u64): u64 {
  for (let lane: usize = 0; lane < 64; lane += 16)
    sum += folded(load<u64>(lanes + lane) ^ load<u64>(keys + lane), load<u64>(lanes + lane + 8) ^ load<u64>(keys + lane + 8));
  return avalanche(sum);
}

/** Combines the state with another number: P + Q * (x + y) + 8 * x * y, modulo 2^192, where Q is 2^64 - 7. */
function combine(y0: u64, y1: u64, y2: u64): void {
  // The product, of which all above 192 bits is lost.
  multiply(x0, y0);
  const p0 = low;
  let p1 = high, p2: u64 = 0;
  multiply(x0, y1);
  p1 += low;
  p2 += high + u64(p1 < low);
  multiply(x1, y0);
  p1 += low;
  p2 += high + u64(p1 < low);
  p2 += x0 * y2 + x1 * y1 + x2 * y0;
  // Eight times that.
  p2 = (p2 << 3) | (p1 >> 61);
  p1 = (p1 << 3) | (p0 >> 61);
  let r0 = p0 << 3, r1 = p1, r2 = p2;
  // The sum of both numbers, shifted by 64 bits.
  const s0 = x0 + y0;
  let carry = u64(s0 < x0);
  let s1 = x1 + y1;
  const over = u64(s1 < x1);
  s1 += carry;
  carry = over + u64(s1 < carry);
  const s2 = x2 + y2 + carry;
  r1 += s0;
  r2 += s1 + u64(r1 < s0);
  // Less seven times the sum.
  multiply(s0, 7);
  const t0 = low;
  let t1 = high;
  multiply(s1, 7);
  t1 += low;
  const t2 = high + u64(t1 < low) + s2 * 7;
  let borrow = u64(r0 < t0);
  r0 -= t0;
  let next = u64(r1 < t1);
  r1 -= t1;
  next += u64(r1 < borrow);
  r1 -= borrow;
  r2 -= t2 + next;
  // P.
  x0 = r0 + 0x2000000000000007;
  carry = u64(x0 < r0);
  x1 = r1 + 0x1ffffffffffffffe;
  let above = u64(x1 < r1);
  x1 += carry;
  above += u64(x1 < carry);
  x2 = r2 + above;
}

/** Empties the state. */
export function reset(): void {
  x0 = 0xe000000000000001;
  x1 = -1;
  x2 = -1;
  writes = 0;
}

/** Adds what another state holds. @param at its 32 bytes */
export function mixin(at: usize): void {
  combine(load<u64>(at), load<u64>(at + 8), load<u64>(at + 16));
  writes += load<u64>(at + 24);
}

/** Writes the 32 bytes of the state. */
export function save(at: usize): void {
  store<u64>(at, x0);
  store<u64>(at + 8, x1);
  store<u64>(at + 16, x2);
  store<u64>(at + 24, writes);
}

/** Writes the 16 bytes of the result, the lowest first. */
export function finish(at: usize): void {
  save(scratch);
  xxh3(scratch, 24, writes);
  store<u64>(at, low);
  store<u64>(at + 8, high);
}

/** Goes to the root of all addresses. */
export function root(): void {
  lowAddress = 17;
  highAddress = 0;
}

/** Goes to a child of the address. */
export function child(number: u64): void {
  const above = highAddress * 486187739;
  multiply(lowAddress, 486187739);
  lowAddress = low + number;
  highAddress = above + high + u64(lowAddress < low);
}

/** Writes bytes at the address. */
export function write(at: usize, length: usize): void {
  xxh3(at, length, lowAddress);
  const hashLow = low, hashHigh = high;
  combine(highAddress & 0x7fffffffffffffff, hashLow, hashHigh);
  writes += 1;
}

/** Writes an integer that is not negative at the address. Zero is nothing. */
export function integer(value: u64): void {
  if (value == 0) return;
  store<u64>(scratch, value);
  write(scratch, (71 - <usize>clz(value)) >> 3);
}

@inline function writeText(at: usize, length: usize): void {
  if (length > 0) write(at, length);
}

// Reads what the caller wrote, from its start on.
let reading: usize;

@inline function take(): u32 {
  const value = load<u32>(reading);
  reading += 4;
  return value;
}

@inline function takeByte(): u32 {
  const value = <u32>load<u8>(reading);
  reading += 1;
  return value;
}

@inline function childOf(addressLow: u64, addressHigh: u64, number: u64): void {
  lowAddress = addressLow;
  highAddress = addressHigh;
  child(number);
}

/** A text of the caller, at a child of an address. */
function textAt(addressLow: u64, addressHigh: u64, number: u64): void {
  const length = take();
  childOf(addressLow, addressHigh, number);
  writeText(reading, length);
  reading += length;
}

/** A sign and a magnitude of the caller, at the address. */
function signedInteger(): void {
  const addressLow = lowAddress, addressHigh = highAddress;
  if (takeByte() == 1) {
    child(0);
    write(reading, 0);
    lowAddress = addressLow;
    highAddress = addressHigh;
  }
  const length = take();
  writeText(reading, length);
  reading += length;
}

/** A value of the caller, at the address. */
function value(): void {
  const addressLow = lowAddress, addressHigh = highAddress;
  const kind = takeByte();
  if (kind == 0) return;
  child(0);
  const contentLow = lowAddress, contentHigh = highAddress;
  if (kind == 1 || kind == 6) {
    const length = take();
    writeText(reading, length);
    reading += length;
  } else if (kind == 3) {
    child(1);
    signedInteger();
    lowAddress = contentLow;
    highAddress = contentHigh;
    signedInteger();
  } else if (kind == 4) {
    if (takeByte() == 1) write(reading, 0);
  } else if (kind == 5) {
    const count = take();
    for (let item: u32 = 0; item < count; item++) {
      childOf(contentLow, contentHigh, item);
      value();
    }
    lowAddress = contentLow;
    highAddress = contentHigh;
    integer(count);
  } else signedInteger();
  lowAddress = addressLow;
  highAddress = addressHigh;
  store<u8>(scratch, <u8>kind);
  write(scratch, 1);
}

/** Fields of the caller, as an unordered set at the address. */
function fields(): void {
  const addressLow = lowAddress, addressHigh = highAddress;
  const count = take();
  for (let field: u32 = 0; field < count; field++) {
    const y0 = x0, y1 = x1, y2 = x2, before = writes;
    reset();
    textAt(17, 0, 0);
    childOf(17, 0, 1);
    value();
    save(scratch);
    x0 = y0;
    x1 = y1;
    x2 = y2;
    writes = before;
    lowAddress = addressLow;
    highAddress = addressHigh;
    write(scratch, 32);
  }
}

/** Goes to the address of a block's events. */
export function eventsOf(block: u64): void {
  root();
  child(1);
  child(0);
  child(block);
  child(0);
}

/** Adds an event that the caller has written at the start of the input. @param index its number in the block */
export function event(block: u64, index: u64): void {
  reading = input;
  eventsOf(block);
  child(index);
  const addressLow = lowAddress, addressHigh = highAddress;
  const kind = takeByte();
  if (kind == 3) {
    child(0);
    integer(take());
  } else {
    textAt(addressLow, addressHigh, 0);
    textAt(addressLow, addressHigh, 1);
    if (kind == 2) {
      childOf(addressLow, addressHigh, 2);
      fields();
    }
  }
  lowAddress = addressLow;
  highAddress = addressHigh;
  store<u8>(scratch, <u8>kind);
  write(scratch, 1);
}

// BLAKE3 of at most one chunk, for proofs of earlier versions. Memory: the state of a compression, its message in three
// orders, and the chaining value.
const mixed: usize = 576;
const message: usize = 640;
const permuted: usize = 704;
const again: usize = 768;
const chain: usize = 832;

@inline function quarter(a: usize, b: usize, c: usize, d: usize, one: u32, other: u32): void {
  let va = load<u32>(mixed + a), vb = load<u32>(mixed + b), vc = load<u32>(mixed + c), vd = load<u32>(mixed + d);
  va += vb + one;
  vd = rotr<u32>(vd ^ va, 16);
  vc += vd;
  vb = rotr<u32>(vb ^ vc, 12);
  va += vb + other;
  vd = rotr<u32>(vd ^ va, 8);
  vc += vd;
  vb = rotr<u32>(vb ^ vc, 7);
  store<u32>(mixed + a, va);
  store<u32>(mixed + b, vb);
  store<u32>(mixed + c, vc);
  store<u32>(mixed + d, vd);
}

@inline function word(order: usize, number: usize): u32 {
  return load<u32>(order + number * 4);
}

/** The first half of the initial hash values of SHA-256, which BLAKE3 shares. */
@inline function startValue(at: usize): void {
  store<u32>(at, 0x6a09e667);
  store<u32>(at + 4, 0xbb67ae85);
  store<u32>(at + 8, 0x3c6ef372);
  store<u32>(at + 12, 0xa54ff53a);
}

function round(order: usize): void {
  quarter(0, 16, 32, 48, word(order, 0), word(order, 1));
  quarter(4, 20, 36, 52, word(order, 2), word(order, 3));
  quarter(8, 24, 40, 56, word(order, 4), word(order, 5));
  quarter(12, 28, 44, 60, word(order, 6), word(order, 7));
  quarter(0, 20, 40, 60, word(order, 8), word(order, 9));
  quarter(4, 24, 44, 48, word(order, 10), word(order, 11));
  quarter(8, 28, 32, 52, word(order, 12), word(order, 13));
  quarter(12, 16, 36, 56, word(order, 14), word(order, 15));
}

function permute(from: usize, to: usize): void {
  store<u32>(to, word(from, 2));
  store<u32>(to + 4, word(from, 6));
  store<u32>(to + 8, word(from, 3));
  store<u32>(to + 12, word(from, 10));
  store<u32>(to + 16, word(from, 7));
  store<u32>(to + 20, word(from, 0));
  store<u32>(to + 24, word(from, 4));
  store<u32>(to + 28, word(from, 13));
  store<u32>(to + 32, word(from, 1));
  store<u32>(to + 36, word(from, 11));
  store<u32>(to + 40, word(from, 12));
  store<u32>(to + 44, word(from, 5));
  store<u32>(to + 48, word(from, 9));
  store<u32>(to + 52, word(from, 14));
  store<u32>(to + 56, word(from, 15));
  store<u32>(to + 60, word(from, 8));
}

/** Mixes the message with the chaining value. The message is in its first order before and after. */
function compress(counter: u32, length: u32, flags: u32): void {
  memory.copy(mixed, chain, 32);
  startValue(mixed + 32);
  store<u32>(mixed + 48, counter);
  store<u32>(mixed + 52, 0);
  store<u32>(mixed + 56, length);
  store<u32>(mixed + 60, flags);
  round(message);
  permute(message, permuted);
  round(permuted);
  permute(permuted, again);
  round(again);
  permute(again, permuted);
  round(permuted);
  permute(permuted, again);
  round(again);
  permute(again, permuted);
  round(permuted);
  permute(permuted, again);
  round(again);
}

/**
 * Hashes up to 1024 bytes.
 * @param blocks how many blocks of 64 bytes the result has
 * @param to where the result begins, its last byte first, as a number is written
 */
export function blake3(at: usize, length: usize, to: usize, blocks: u32): void {
  startValue(chain);
  store<u32>(chain + 16, 0x510e527f);
  store<u32>(chain + 20, 0x9b05688c);
  store<u32>(chain + 24, 0x1f83d9ab);
  store<u32>(chain + 28, 0x5be0cd19);
  let flags: u32 = 1;
  while (length > 64) {
    memory.copy(message, at, 64);
    compress(0, 64, flags);
    for (let index: usize = 0; index < 32; index += 4)
      store<u32>(chain + index, load<u32>(mixed + index) ^ load<u32>(mixed + index + 32));
    flags = 0;
    at += 64;
    length -= 64;
  }
  memory.fill(message, 0, 64);
  memory.copy(message, at, length);
  const size = <usize>blocks * 64;
  for (let block: u32 = 0; block < blocks; block++) {
    compress(block, <u32>length, flags | 10);
    const end = to + size - <usize>block * 64;
    for (let index: usize = 0; index < 32; index += 4) {
      const upper = load<u32>(mixed + index + 32);
      store<u32>(end - index - 4, bswap<u32>(load<u32>(mixed + index) ^ upper));
      store<u32>(end - index - 36, bswap<u32>(upper ^ load<u32>(chain + index)));
    }
  }
}
