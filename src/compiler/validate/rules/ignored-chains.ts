import { quote } from "../../../base/text/quote.js";
import type { Details } from "../../diagnostics/diagnostic.js";
import type { Location } from "../../source/source.js";
import { childOf, itemsOf, optionalString, stringsOf } from "../shape/tree-access.js";
import type { Rule } from "./rule.js";

const without: Details = {
  label: "it has no effect here",
  notes: ['each instance with an address names its own "chain"'],
  hint: "remove it",
};

/**
 * The older format's list of chains, and a template's chain, have no effect, but must not contradict the
 * instances.
 */
export const ignoredChains: Rule = ({ instances, chains }, { config, complete }, report) => {
  if (!complete) return;
  const used = new Map<string, Location>();
  for (const instance of instances) {
    if (instance.kind !== "data-source" || used.has(instance.chain.value)) continue;
    used.set(instance.chain.value, instance.chain.at);
  }
  if (chains) {
    for (const { value, at } of stringsOf(childOf(config, "chains"))) {
      if (!used.has(value))
        report.warning("ignored-chain", at, `no instance is on the chain ${quote(value)}`, without);
    }
    const listed = new Set(chains.value);
    for (const [chain, place] of used) {
      if (listed.has(chain)) continue;
      report.warning("ignored-chain", chains.at, `"chains" does not list ${quote(chain)}`, {
        ...without,
        related: [{ at: place, text: "an instance is on this chain" }],
      });
    }
  }
  for (const node of itemsOf(childOf(config, "instances"))) {
    const chain = childOf(node, "source") && optionalString(node, "chain");
    if (!chain || used.has(chain.value)) continue;
    const message = `no instance with an address is on the chain ${quote(chain.value)}`;
    const notes = ["a template is on every chain its source is on"];
    report.warning("ignored-chain", chain.at, message, { ...without, notes });
  }
};
