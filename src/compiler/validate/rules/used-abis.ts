import { quote } from "../../../base/text/quote.js";
import { abiReferences } from "./known-abis.js";
import type { Rule } from "./rule.js";

/** Every declared ABI is used. */
export const usedAbis: Rule = ({ instances }, { declared, complete }, report) => {
  const references = instances.flatMap(abiReferences);
  // A mistyped name is already reported, and may be the reason why an ABI is unused.
  if (!complete || references.some(({ value }) => !declared.has(value))) return;
  const used = new Set(references.map(({ value }) => value));
  for (const [name, { at }] of declared) {
    if (used.has(name)) continue;
    report.warning("unused-abi", at, `the ABI ${quote(name)} is declared but not used`, {
      label: "no instance and no call names it",
      hint: "remove it",
    });
  }
};
