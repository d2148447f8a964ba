import { groupBy } from "../../../base/group-by.js";
import { quote } from "../../../base/text/quote.js";
import type { LocatedString } from "../../source/source.js";
import type { Rule } from "./rule.js";

/** Names of chains differ in more than case: they name manifests and folders, and some file systems ignore case. */
export const distinctChains: Rule = ({ instances }, _context, report) => {
  const chains = instances.flatMap((instance) => (instance.kind === "data-source" ? [instance.chain] : []));
  for (const alike of groupBy(chains, ({ value }) => value.toLowerCase()).values()) {
    const spellings = [...groupBy(alike, ({ value }) => value).values()].flatMap(([first]) => first ?? []);
    const right = spellings.find(isLowerCase) ?? spellings[0];
    for (const chain of spellings) {
      if (!right || chain === right) continue;
      const message = `the chains ${quote(right.value)} and ${quote(chain.value)} differ only in case`;
      report.error("chain-case", chain.at, message, {
        label: "its files would overwrite those of the other",
        related: [{ at: right.at, text: "the other chain" }],
        hint: `write ${quote(right.value)} everywhere`,
      });
    }
  }
};

/** Whether a name is in lower case, like all public networks' names. */
function isLowerCase({ value }: LocatedString): boolean {
  return value === value.toLowerCase();
}
