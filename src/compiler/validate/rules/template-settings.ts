import { quote } from "../../../base/text/quote.js";
import { type Member, member } from "../../source/tree.js";
import { childOf, itemsOf, optionalString } from "../shape/tree-access.js";
import type { Rule } from "./rule.js";

/** A template's address and start block follow from its source. Its own settings have no effect. */
export const templateSettings: Rule = ({ instances }, { config, complete }, report) => {
  if (!complete) return;
  const chains = new Set(
    instances.flatMap((instance) => (instance.kind === "data-source" ? [instance.chain.value] : [])),
  );
  for (const node of itemsOf(childOf(config, "instances"))) {
    if (!childOf(node, "source")) continue;
    const chain = optionalString(node, "chain");
    // An unused chain has a separate warning.
    const isSaid = chain !== undefined && !chains.has(chain.value);
    const found = [member(node, "startBlock"), isSaid ? undefined : member(node, "chain")];
    const keys = found
      .filter((one): one is Member => one !== undefined)
      .map(({ key }) => key)
      .sort((a, b) => a.at.start - b.at.start);
    const [first] = keys;
    if (!first) continue;
    const names = keys.map(({ value }) => quote(value)).join(" and ");
    const [have, them] = keys.length > 1 ? ["have", "them"] : ["has", "it"];
    const message = `${names} ${have} no effect beside a "source"`;
    report.note("template-setting", first.at, message, {
      label: "ignored in a template",
      notes: [
        "a template is indexed on the chain of its source, from the block of the event that announces the contract",
      ],
      hint: `remove ${them}`,
    });
  }
};
