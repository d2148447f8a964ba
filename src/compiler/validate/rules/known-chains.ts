import { quote } from "../../../base/text/quote.js";
import { chainNames, findChain, isForeign, nearChain } from "../../../chains/find-chain.js";
import { localChains } from "../../../chains/local-chains.js";
import { type Details, rewrite } from "../../diagnostics/diagnostic.js";
import type { LocatedString } from "../../source/source.js";
import type { TreeNode } from "../../source/tree.js";
import { childOf, itemsOf, optionalString, stringsOf } from "../shape/tree-access.js";
import type { Rule } from "./rule.js";

/** Chains are networks of graph-node. Others may be private networks, so each gets only one warning. */
export const knownChains: Rule = ({ instances }, { config }, report) => {
  const seen = new Set<string>();
  for (const instance of instances) {
    if (instance.kind !== "data-source" || seen.has(instance.chain.value)) continue;
    const { value, at } = instance.chain;
    seen.add(value);
    if (chainNames.has(value) || localChains.has(value)) continue;
    report.warning("unknown-chain", at, `no network named ${quote(value)} is known`, {
      notes: ["graphloom uses the name as it is, because it may name a private network"],
      ...correction(value, config),
    });
  }
};

/** The fix for an alias of a network is certain. A merely similar name may belong to a private network. */
function correction(chain: string, config: TreeNode): Details {
  const known = findChain(chain);
  if (known === undefined) {
    const near = nearChain(chain);
    return {
      label: isForeign(chain) ? "this network is not an EVM chain" : "not in the registry of networks",
      ...(near !== undefined && { hint: `write ${quote(near)}` }),
    };
  }
  const isCase = known === chain.toLowerCase();
  const label = isCase ? "names are case-sensitive" : "graph-node uses a different name for it";
  const fix = mentions(chain, config).map((place) => rewrite(place, known));
  return { label, hint: `write ${quote(known)}`, fix };
}

/** All places that name a chain; they must be corrected together. */
function mentions(chain: string, config: TreeNode): readonly LocatedString[] {
  const all = [
    ...itemsOf(childOf(config, "instances")).flatMap((node) => optionalString(node, "chain") ?? []),
    ...stringsOf(childOf(config, "chains")),
  ];
  // With YAML aliases, the same text occurs several times.
  const byPlace = new Map(
    all.filter(({ value }) => value === chain).map((place) => [place.at.start, place] as const),
  );
  return [...byPlace.values()];
}
