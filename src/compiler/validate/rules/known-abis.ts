import { quote } from "../../../base/text/quote.js";
import { differsInCase, type NearName, nearName } from "../../diagnostics/correct-name.js";
import { rewrite } from "../../diagnostics/diagnostic.js";
import type { LocatedString } from "../../source/source.js";
import type { Instance } from "../config.js";
import { childOf, itemsOf, membersOf, optionalString } from "../shape/tree-access.js";
import type { Rule, RuleContext } from "./rule.js";

/** Limit of suggestions: comparing many wrong names with many right ones is slow. */
const maxSuggestions = 20;
const maxCandidates = 500;

/** Instances, sources and calls name declared ABIs. */
export const knownAbis: Rule = ({ instances }, context, report) => {
  const { config, declared } = context;
  // ABIs declared in a list also have names.
  if (itemsOf(childOf(config, "abis")).length > 0) return;
  const candidates = [...declared.keys()].filter((name) => name.length <= 100).slice(0, maxCandidates);
  const near = new Map<string, NearName | undefined>();
  for (const name of instances.flatMap(abiReferences)) {
    if (declared.has(name.value)) continue;
    if (!near.has(name.value) && near.size < maxSuggestions) {
      near.set(name.value, nearName(name.value, candidates));
    }
    const meant = near.get(name.value);
    const place = meant && declared.get(meant.name)?.at;
    report.error("unknown-abi", name.at, `no ABI named ${quote(name.value)} is declared`, {
      label:
        meant && differsInCase(meant.name, name.value) ? "names are case-sensitive" : 'not a key of "abis"',
      related: place ? [{ at: place, text: "the nearest name" }] : [],
      hint: meant ? `write ${quote(meant.name)}` : declaration(name.value, context),
      ...(meant?.certain && { fix: [rewrite(name, meant.name)] }),
    });
  }
};

/** A declaration of the ABI, as a file beside other ABIs' files, if there are any. */
function declaration(name: string, { config }: RuleContext): string {
  const declare = 'declare it under "abis"';
  if (!/^[\w -]{1,60}$/.test(name)) return declare;
  const [other] = membersOf(childOf(config, "abis")).flatMap(
    ({ value }) => optionalString(value, "path") ?? [],
  );
  const folder = /^(?:[\w.-]+\/)*/.exec(other?.value ?? "./abis/")?.[0] ?? "";
  return `${declare}: ${quote(name)}: { "path": ${quote(`${folder}${name}.json`)} }`;
}

/** Every place where an instance names an ABI. */
export function abiReferences(instance: Instance): LocatedString[] {
  const calls = (instance.enrich?.handlers ?? []).flatMap((handler) => handler.calls);
  return [
    instance.abi,
    ...(instance.kind === "template" ? [instance.source.abi] : []),
    ...calls.flatMap((call) => call.abi ?? []),
  ];
}
