/** Number of keys up to which the maps that graph-cli keeps a manifest in are in order of insertion. */
const mostInOrder = 8;
/** Number of bits of a hash that one level of a map's tree distinguishes. */
const bitsPerLevel = 5;

/**
 * Plain data with the keys in the order in which graph-cli writes them. It keeps manifests and ABIs in maps that
 * forget the order of more than eight keys, and list them by the digits of their hashes instead.
 */
export function inImmutableOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inImmutableOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const ordered = entries.length > mostInOrder ? entries.toSorted(([a], [b]) => compareKeys(a, b)) : entries;
  // Not `fromEntries` of a literal: a key may be `__proto__`.
  const result: Record<string, unknown> = Object.create(null);
  for (const [key, part] of ordered) result[key] = inImmutableOrder(part);
  return result;
}

function compareKeys(a: string, b: string): number {
  const [one, other] = [hashOf(a), hashOf(b)];
  for (let shift = 0; shift < 32; shift += bitsPerLevel) {
    const difference = ((one >>> shift) & 31) - ((other >>> shift) & 31);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The hash of a text in Java, made to fit in 31 bits. */
function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (31 * hash + text.charCodeAt(at)) | 0;
  return ((hash >>> 1) & 0x40000000) | (hash & 0xbfffffff);
}
