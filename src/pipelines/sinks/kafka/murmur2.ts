const multiplier = 0x5bd1e995;

/**
 * The partition of a key, as the clients of Kafka in Java choose it, so that records with the same key meet in topics with
 * as many partitions.
 */
export function partitionOf(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** MurmurHash 2 with the seed that Kafka uses. @returns 32 bits, signed */
function murmur2(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length & ~3;
  let hash = 0x9747b28c ^ bytes.length;
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(view.getInt32(at, true), multiplier);
    word = Math.imul(word ^ (word >>> 24), multiplier);
    hash = Math.imul(hash, multiplier) ^ word;
  }
  if (whole < bytes.length) {
    for (let at = bytes.length - 1; at >= whole; at -= 1) hash ^= (bytes[at] ?? 0) << (8 * (at - whole));
    hash = Math.imul(hash, multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}
