import { quote } from "../../../base/text/quote.js";
import { correctName } from "../../diagnostics/correct-name.js";
import { exportedFunctions } from "../../source/exported-functions.js";
import { childOf } from "../shape/tree-access.js";
import type { Rule } from "./rule.js";

/** Handlers name functions that the user's own mapping exports. */
export const ownHandlers: Rule = ({ instances, mapping }, { config }, report) => {
  const named = instances
    .flatMap(({ enrich }) => enrich?.handlers ?? [])
    .flatMap(({ handler }) => handler ?? []);
  if (!mapping) {
    // An unreadable mapping has been reported.
    if (childOf(config, "mapping")) return;
    for (const { value, at } of named) {
      report.error("unknown-mapping-handler", at, `there is no mapping with the function ${quote(value)}`, {
        hint: 'name the file of the mapping: "mapping": { "file": "./mapping.ts" }',
      });
    }
    return;
  }
  const exported = exportedFunctions(mapping.file.text);
  for (const name of named) {
    if (exported.includes(name.value)) continue;
    const message = `${quote(mapping.path.value)} exports no function ${quote(name.value)}`;
    report.error("unknown-mapping-handler", name.at, message, {
      notes: exported.length > 0 ? [`it exports ${exported.slice(0, 10).join(", ")}`] : [],
      ...correctName(name, exported),
    });
  }
};
