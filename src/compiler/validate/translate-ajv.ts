import type { ErrorObject } from "ajv/dist/2020.js";
import { groupBy } from "../../base/group-by.js";
import { present } from "../../base/invariant.js";
import { quote } from "../../base/text/quote.js";
import type { Report } from "../diagnostics/report.js";
import { wayToRun } from "../diagnostics/way-to-run.js";
import { type Member, member, type TreeNode } from "../source/tree.js";
import { missingKeys } from "./shape/missing-keys.js";
import { offenceOf } from "./shape/offence.js";
import type { WordContext } from "./shape/other-words.js";
import { childOf, itemsOf, optionalString } from "./shape/tree-access.js";
import { type IndexedValue, indexTree } from "./shape/tree-index.js";
import { expectation, type Violation } from "./shape/violation.js";
import { wrongKeys } from "./shape/wrong-keys.js";
import { wrongValue } from "./shape/wrong-value.js";

/** All errors about one value, to be judged together. */
interface Case {
  readonly place: IndexedValue;
  readonly errors: readonly ErrorObject[];
}

/**
 * Reports how the configuration violates the schema, in the user's terms and at the user's text.
 * @param functions returns the function names of an ABI
 */
export function translateViolations(
  errors: readonly ErrorObject[],
  config: TreeNode,
  functions: WordContext["functions"],
  report: Report,
): void {
  const manifest = givenManifest(config);
  const violations = manifest ? [manifest] : violationsOf(errors, config, functions);
  for (const { code, at, message, details } of violations) report.error(code, at, message, details);
}

/** In source order. */
function violationsOf(
  errors: readonly ErrorObject[],
  config: TreeNode,
  functions: WordContext["functions"],
): readonly Violation[] {
  const places = indexTree(config);
  const byPointer = groupBy(errors, ({ instancePath }) => instancePath);
  const context = { abis: places.get("/abis")?.members ?? new Map(), functions };
  const violations: Violation[] = [];
  for (const [pointer, about] of byPointer) {
    const place = present(places.get(pointer), `no value at ${pointer}`);
    for (const violation of translate({ place, errors: about }, context)) violations.push(violation);
  }
  return violations.sort((a, b) => a.at.start - b.at.start);
}

function translate({ place, errors }: Case, context: WordContext): Violation[] {
  // A wrong type also violates other rules, which add no information.
  const wrongType = errors.find((error) => error.keyword === "type" && error.propertyName === undefined);
  if (wrongType) return [wrongValue("wrong-type", place, wrongType)];
  const { violations, meant } = wrongKeys(
    place,
    errors.filter((error) => error.keyword === "additionalProperties"),
    context,
  );
  const missing = errors.filter(
    (error) => error.keyword === "required" && !meant.has(error.params.missingProperty as string),
  );
  return [
    ...violations,
    ...missingKeys(place, missing, meant, context),
    ...withoutRepeats(errors).flatMap((error) => other(place, error)),
  ];
}

/** Keeps only the first of several violations by one string. */
function withoutRepeats(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const rules = new Set(["pattern", "minLength", "maxLength"]);
  const seen = new Set<string | undefined>();
  return errors.filter(({ keyword, propertyName }) => {
    if (!rules.has(keyword)) return true;
    const isFirst = !seen.has(propertyName);
    seen.add(propertyName);
    return isFirst;
  });
}

function other(place: IndexedValue, error: ErrorObject): Violation[] {
  if (error.propertyName !== undefined) return [wrongName(place, error)];
  switch (error.keyword) {
    case "required":
    case "additionalProperties":
    // Both errors only repeat nested ones.
    case "if":
    case "propertyNames":
      return [];
    case "not":
      return [bothKinds(place)];
    case "const":
      return [wrongValue("unsupported-version", place, error)];
    default:
      return [wrongValue("wrong-value", place, error)];
  }
}

function bothKinds({ members }: IndexedValue): Violation {
  const address = present(members.get("address"), "no address").key.at;
  const source = present(members.get("source"), "no source").key.at;
  const [first, second] = address.start < source.start ? [address, source] : [source, address];
  return {
    code: "instance-kind",
    at: second,
    message: 'an instance has both an "address" and a "source"',
    details: {
      label: "only one of the two is allowed",
      related: [{ at: first, text: "the other one" }],
      notes: ["an address makes it a single contract, a source makes it a template for many"],
      hint: "split it into two instances",
    },
  };
}

/** What a key names, by the setting that contains it. */
const named: Readonly<Record<string, string>> = { abis: "an ABI", calls: "a call", entities: "an entity" };

function wrongName({ key: setting, members }: IndexedValue, error: ErrorObject): Violation {
  const name = present(error.propertyName, "a name's error without a name");
  const { key } = present(members.get(name), `no key ${name}`);
  const { at, label } =
    error.keyword === "pattern"
      ? offenceOf(key, new RegExp(error.params.pattern, "u"), "")
      : { at: key.at, label: "too long" };
  const what = present(named[setting?.value ?? ""], `no names of ${setting?.value}`);
  const message = `${quote(name)} cannot be the name of ${what}`;
  const better = name.length <= 60 ? usable(name, setting?.value === "entities") : "";
  const pattern = new RegExp(error.params.pattern ?? "", "u");
  const free = [better, `_${better}`].find((one) => better !== "" && pattern.test(one) && !members.has(one));
  const hint = free === undefined ? undefined : `rename it to ${quote(free)}`;
  return { code: "wrong-name", at, message, details: { label, notes: [expectation(error)], hint } };
}

/** A valid name made from the usable characters of an invalid one. */
function usable(name: string, isType: boolean): string {
  const words = name.split(/[^A-Za-z0-9_$]+/).filter((word) => word !== "");
  if (!isType) return words.join("_");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** The violation if the document is a subgraph's manifest rather than a configuration. */
function givenManifest(config: TreeNode): Violation | undefined {
  const [version, sources] = [member(config, "specVersion"), member(config, "dataSources")];
  if (!version || !sources || member(config, "abis") || member(config, "instances")) return undefined;
  return {
    code: "manifest-given",
    at: version.key.at,
    message: "this is the manifest of a subgraph, not a configuration",
    details: {
      label: "only manifests have this setting",
      notes: [
        "graphloom compiles a configuration to a manifest; graph build writes one, too",
        `to make a configuration for its first contract: ${initCommand(sources)}`,
      ],
      hint: wayToRun(version.key.at.source.path, networkOf(sources)),
    },
  };
}

function networkOf({ value }: Member): string {
  return plain(optionalString(itemsOf(value)[0], "network")?.value, "<chain>");
}

/**
 * The command that creates a configuration from the manifest's first contract, with placeholders for what the
 * manifest lacks.
 */
function initCommand({ value }: Member): string {
  const [first] = itemsOf(value);
  const source = childOf(first, "source");
  const name = optionalString(source, "abi")?.value;
  const abis = itemsOf(childOf(childOf(first, "mapping"), "abis"));
  const abi = abis.find((one) => optionalString(one, "name")?.value === name);
  const file = plain(optionalString(abi, "file")?.value, "<file>");
  const address = plain(optionalString(source, "address")?.value, "<address>");
  const network = plain(optionalString(first, "network")?.value, "<chain>");
  const block = childOf(source, "startBlock");
  const start = block?.kind === "number" && Number.isSafeInteger(block.value) ? block.value : "<block>";
  return `graphloom subgraph init <name> --abi ${file} --contract ${address} --network ${network} --start-block ${start}`;
}

/** A string that needs no quotes in a shell, or else a placeholder. */
function plain(text: string | undefined, otherwise: string): string {
  return text !== undefined && /^[\w./-]+$/.test(text) ? text : otherwise;
}
