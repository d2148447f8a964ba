import type { Code } from "../../diagnostics/catalog.js";
import type { Location } from "../../source/source.js";
import type { Instance } from "../config.js";
import type { Rule } from "./rule.js";

/**
 * No contract is indexed twice with the same ABI, and no template listens twice to the same event. The same address
 * under several ABIs is legal: the facets of a diamond.
 */
export const uniqueInstances: Rule = ({ instances }, _context, report) => {
  const seen = new Map<string, Location>();
  for (const instance of instances) {
    const identity = identityOf(instance);
    const first = seen.get(identity);
    if (!first) {
      seen.set(identity, placeOf(instance));
      continue;
    }
    const [code, message]: [Code, string] =
      instance.kind === "data-source"
        ? ["duplicate-address", "this address already has an instance with the same ABI on this chain"]
        : ["duplicate-template", "this event and parameter already have a template with the same ABI"];
    report.error(code, placeOf(instance), message, {
      related: [{ at: first, text: "the first one" }],
      hint: "remove one of the two instances",
    });
  }
};

function placeOf(instance: Instance): Location {
  return instance.kind === "data-source" ? instance.address.at : instance.source.eventSignature.at;
}

function identityOf(instance: Instance): string {
  if (instance.kind === "data-source") {
    const { abi, address, chain } = instance;
    return JSON.stringify([abi.value, address.value.toLowerCase(), chain.value]);
  }
  const { abi, source } = instance;
  const signature = source.eventSignature.value.replace(/\s+/g, " ").trim();
  return JSON.stringify([abi.value, source.abi.value, signature, source.addressParam.value, "template"]);
}
