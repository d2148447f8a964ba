import { suggest } from "../../diagnostics/suggest.js";
import { chainAliases, chainNames } from "../chain-names.js";
import { quote } from "../tree-index.js";
import type { Rule } from "./rule.js";

/** Chains are networks graph-node knows; others may be private networks, so that they are only warned about, once each. */
export const knownChains: Rule = ({ instances }, _context, report) => {
  const seen = new Set<string>();
  for (const instance of instances) {
    if (instance.kind !== "data-source" || seen.has(instance.chain.value)) continue;
    const { value, at } = instance.chain;
    seen.add(value);
    if (chainNames.has(value)) continue;
    const meant = chainAliases.get(value.toLowerCase()) ?? suggest(value, chainNames)[0];
    report.warning("unknown-chain", at, `no network named ${quote(value)} is known`, {
      notes: ["it is used as it is: private networks have names of their own"],
      hint: meant === undefined ? undefined : `write ${quote(meant)}`,
    });
  }
};
