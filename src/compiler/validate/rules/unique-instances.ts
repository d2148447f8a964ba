import { quote } from "../../../base/text/quote.js";
import type { Details } from "../../diagnostics/diagnostic.js";
import type { Location } from "../../source/source.js";
import type { DataSourceInstance, TemplateInstance } from "../config.js";
import type { Rule } from "./rule.js";

/**
 * No contract is indexed twice with the same ABI, and no template has the same source event twice. The same address
 * with several ABIs is valid: the facets of a diamond.
 */
export const uniqueInstances: Rule = ({ instances }, _context, report) => {
  const seen = new Map<string, Location>();
  for (const instance of instances) {
    if (instance.kind === "broken") continue;
    const identity = identityOf(instance);
    const first = seen.get(identity);
    if (!first) {
      seen.set(identity, identifyingPlace(instance));
      continue;
    }
    const details: Details = {
      label: "every event would be handled twice",
      related: [{ at: first, text: "the first one" }],
      hint: "remove one of the two instances",
    };
    const at = identifyingPlace(instance);
    const abi = quote(instance.abi.value);
    if (instance.kind === "data-source") {
      const message = `this address already has an instance of ABI ${abi} on this chain`;
      report.error("duplicate-address", at, message, details);
    } else {
      report.error("duplicate-template", at, `this event already creates a template of ABI ${abi}`, details);
    }
  }
};

function identifyingPlace(instance: DataSourceInstance | TemplateInstance): Location {
  return instance.kind === "data-source" ? instance.address.at : instance.source.eventSignature.at;
}

function identityOf(instance: DataSourceInstance | TemplateInstance): string {
  if (instance.kind === "data-source") {
    const { abi, address, chain } = instance;
    return JSON.stringify([abi.value, address.value.toLowerCase(), chain.value]);
  }
  const { abi, source } = instance;
  const signature = source.eventSignature.value.replace(/\s+/g, " ").trim();
  return JSON.stringify([abi.value, source.abi.value, signature, source.addressParam.value, "template"]);
}
