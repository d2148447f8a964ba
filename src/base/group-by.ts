/**
 * Groups values by a key; groups and their members keep the order of first appearance.
 * @param keyOf the key of a value
 * @returns by key; no group is empty
 */
export function groupBy<K, T>(all: Iterable<T>, keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}
