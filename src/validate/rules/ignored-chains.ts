import { childOf, itemsOf, optionalString, stringsOf } from "../tree-access.js";
import { quote } from "../tree-index.js";
import type { Rule } from "./rule.js";

/** The older form's list of chains, and a template's chain, say nothing; they must not say something else either. */
export const ignoredChains: Rule = ({ instances, chains }, { config, complete }, report) => {
  if (!complete) return;
  const used = new Set(
    instances.flatMap((instance) => (instance.kind === "data-source" ? [instance.chain.value] : [])),
  );
  const hint = 'remove it: each instance with an address names its own "chain"';
  if (chains) {
    for (const { value, at } of stringsOf(childOf(config, "chains"))) {
      if (!used.has(value))
        report.warning("ignored-chain", at, `no instance is on the chain ${quote(value)}`, { hint });
    }
    const listed = new Set(chains.value);
    for (const chain of used) {
      if (listed.has(chain)) continue;
      report.warning(
        "ignored-chain",
        chains.at,
        `"chains" does not list ${quote(chain)}, which an instance is on`,
        { hint },
      );
    }
  }
  for (const node of itemsOf(childOf(config, "instances"))) {
    const chain = childOf(node, "source") && optionalString(node, "chain");
    if (!chain || used.has(chain.value)) continue;
    report.warning(
      "ignored-chain",
      chain.at,
      `no instance with an address is on the chain ${quote(chain.value)}`,
      {
        notes: ["a template is on every chain its source is on"],
        hint,
      },
    );
  }
};
