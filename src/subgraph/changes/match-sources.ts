import { groupBy } from "../../base/group-by.js";
import type { SourceFacts } from "./facts.js";

/** A source before and after a change. */
export interface SourcePair {
  readonly before?: SourceFacts;
  readonly after?: SourceFacts;
}

/**
 * Finds out which sources are the same: those with the same address and ABI. If one source of an ABI is then
 * left on each side, it has moved. Templates have no address; they are the same if their names are.
 * @returns every source once, in the new order; removed sources come last
 */
export function matchSources(
  before: readonly SourceFacts[],
  after: readonly SourceFacts[],
): readonly SourcePair[] {
  const keys = [
    ({ kind, chain, abi, address, name }: SourceFacts) => [kind, chain, abi, address ?? name].join(" "),
    ({ kind, chain, abi }: SourceFacts) => [kind, chain, abi].join(" "),
    // The same contract with a renamed ABI.
    ({ kind, chain, address }: SourceFacts) => [kind, chain, address ?? "nowhere"].join(" "),
  ];
  const found = new Map<SourceFacts, SourceFacts>();
  for (const [round, key] of keys.entries()) {
    const known = new Set(found.values());
    const left = groupBy(
      before.filter((one) => !known.has(one)),
      key,
    );
    const wanting = groupBy(
      after.filter((one) => !found.has(one)),
      key,
    );
    for (const [text, sources] of wanting) {
      const candidates = left.get(text) ?? [];
      // In the first round, identical sources are interchangeable. Later, a match must be the only one
      // possible.
      if (round > 0 && (sources.length > 1 || candidates.length > 1)) continue;
      for (const [index, source] of sources.entries()) {
        const candidate = candidates[index];
        if (candidate) found.set(source, candidate);
      }
    }
  }
  const known = new Set(found.values());
  return [
    ...after.map((source): SourcePair => {
      const old = found.get(source);
      return old ? { before: old, after: source } : { after: source };
    }),
    ...before.filter((source) => !known.has(source)).map((source): SourcePair => ({ before: source })),
  ];
}
