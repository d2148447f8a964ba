import { groupBy } from "../../base/group-by.js";
import type { SourceFacts } from "./facts.js";

/** A source before and after a change. */
export interface SourcePair {
  readonly before?: SourceFacts;
  readonly after?: SourceFacts;
}

/**
 * Finds which sources are the same: those of one address and ABI; then, where one of an ABI is left on each side, that
 * one has moved. Templates have no address, and are the same by their names.
 * @returns every source once: in the order after, then what is gone
 */
export function matchSources(
  before: readonly SourceFacts[],
  after: readonly SourceFacts[],
): readonly SourcePair[] {
  const keys = [
    ({ kind, chain, abi, address, name }: SourceFacts) => [kind, chain, abi, address ?? name].join(" "),
    ({ kind, chain, abi }: SourceFacts) => [kind, chain, abi].join(" "),
    // The same contract by an ABI that was renamed.
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
      // Twice the same contract is no choice; another one of an ABI is, unless there is no other.
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
