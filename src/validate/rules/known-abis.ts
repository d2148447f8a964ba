import { suggest } from "../../diagnostics/suggest.js";
import type { LocatedString } from "../../source/source.js";
import type { Instance } from "../config.js";
import { quote } from "../tree-index.js";
import type { Rule } from "./rule.js";

/** Comparing many wrong names with many right ones takes long; nobody reads that many suggestions. */
const maxSuggestions = 20;
const maxCandidates = 500;

/** Instances, sources and calls name ABIs that are declared. */
export const knownAbis: Rule = ({ instances }, { declared }, report) => {
  const candidates = [...declared.keys()].filter((name) => name.length <= 100).slice(0, maxCandidates);
  const hints = new Map<string, string | undefined>();
  for (const name of instances.flatMap(abiReferences)) {
    if (declared.has(name.value)) continue;
    if (!hints.has(name.value) && hints.size < maxSuggestions) {
      hints.set(name.value, suggest(name.value, candidates)[0]);
    }
    const nearest = hints.get(name.value);
    report.error("unknown-abi", name.at, `no ABI named ${quote(name.value)} is declared`, {
      hint: nearest === undefined ? 'declare it under "abis"' : `write ${quote(nearest)}`,
    });
  }
};

/** Every place where an instance names an ABI. */
export function abiReferences(instance: Instance): LocatedString[] {
  const calls = (instance.enrich?.handlers ?? []).flatMap((handler) => handler.calls);
  return [
    instance.abi,
    ...(instance.kind === "template" ? [instance.source.abi] : []),
    ...calls.flatMap((call) => call.abi ?? []),
  ];
}
