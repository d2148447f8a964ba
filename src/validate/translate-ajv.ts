import type { ErrorObject } from "ajv/dist/2020.js";
import type { Code } from "../diagnostics/catalog.js";
import type { Details } from "../diagnostics/diagnostic.js";
import { invariant, present } from "../diagnostics/invariant.js";
import type { Report } from "../diagnostics/report.js";
import { suggest } from "../diagnostics/suggest.js";
import type { Location } from "../source/source.js";
import type { TreeNode } from "../source/tree.js";
import { headOf, indexTree, type Place, quote, subjectOf } from "./tree-index.js";

interface Violation {
  readonly code: Code;
  readonly at: Location;
  readonly message: string;
  readonly details: Details;
}

/** All errors about one value, which decide together what is worth saying. */
interface Case {
  readonly place: Place;
  readonly errors: readonly ErrorObject[];
}

/** For how many wrong keys of one object the right one is looked for. */
const maxSuggestions = 100;

/** Says in the user's words, at what the user typed, how the configuration differs from the schema. */
export function translateViolations(errors: readonly ErrorObject[], config: TreeNode, report: Report): void {
  const places = indexTree(config);
  const byPointer = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    const about = byPointer.get(error.instancePath);
    if (about) about.push(error);
    else byPointer.set(error.instancePath, [error]);
  }
  const violations: Violation[] = [];
  for (const [pointer, about] of byPointer) {
    const place = present(places.get(pointer), `no value at ${pointer}`);
    for (const violation of translate({ place, errors: about })) violations.push(violation);
  }
  violations.sort((a, b) => a.at.start - b.at.start);
  for (const { code, at, message, details } of violations) report.error(code, at, message, details);
}

function translate({ place, errors }: Case): Violation[] {
  // A value of the wrong type breaks further rules, which say nothing new.
  const wrongType = errors.find((error) => error.keyword === "type" && error.propertyName === undefined);
  if (wrongType) return [wrongValue("wrong-type", place, wrongType)];
  const unknown = errors.filter((error) => error.keyword === "additionalProperties");
  const nearest = unknown.slice(0, maxSuggestions).map((error) => meantKey(place, error));
  const meant = new Set(nearest);
  const missing = errors.filter(
    (error) => error.keyword === "required" && !meant.has(error.params.missingProperty as string),
  );
  return [
    ...unknown.map((error, index) => unknownKey(place, error, nearest[index])),
    ...missingKeys(place, missing, meant),
    ...errors.flatMap((error) => other(place, error)),
  ];
}

function other(place: Place, error: ErrorObject): Violation[] {
  if (error.propertyName !== undefined) return [wrongName(place, error)];
  switch (error.keyword) {
    case "required":
    case "additionalProperties":
    // Both only repeat what is wrong inside them.
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

function keysOf(error: ErrorObject): string[] {
  return Object.keys((error.parentSchema as { properties?: object }).properties ?? {});
}

/** The key an unknown one is a slip of, if that is not there beside it. */
function meantKey(place: Place, error: ErrorObject): string | undefined {
  const nearest = suggest(error.params.additionalProperty as string, keysOf(error))[0];
  return nearest === undefined || place.members.has(nearest) ? undefined : nearest;
}

function unknownKey(place: Place, error: ErrorObject, meant: string | undefined): Violation {
  const name = error.params.additionalProperty as string;
  const { key } = present(place.members.get(name), `no key ${name}`);
  const allowed = keysOf(error).filter((candidate) => !candidate.startsWith("$"));
  return {
    code: "unknown-key",
    at: key.at,
    message: `${subjectOf(place)} has no setting named ${quote(name)}`,
    details: meant
      ? { hint: `rename it to ${quote(meant)}` }
      : { notes: [`its settings are ${allowed.map(quote).join(", ")}`], hint: "remove it" },
  };
}

function missingKeys(
  place: Place,
  errors: readonly ErrorObject[],
  meant: ReadonlySet<string | undefined>,
): Violation[] {
  const names = errors.map((error) => error.params.missingProperty as string);
  const isInstance = errors.some((error) => error.schemaPath.includes("/else/"));
  if (isInstance && !place.members.has("address") && !meant.has("address")) {
    const own = names.includes("abi") ? [missingKey(place, "abi")] : [];
    return meant.has("source") ? own : [noKind(place), ...own];
  }
  return names.map((name) => missingKey(place, name));
}

function missingKey(place: Place, name: string): Violation {
  return {
    code: "missing-key",
    at: headOf(place),
    message: `${subjectOf(place)} has no ${quote(name)}`,
    details: { hint: `add ${quote(name)}` },
  };
}

function noKind(place: Place): Violation {
  return {
    code: "instance-kind",
    at: headOf(place),
    message: 'an instance has neither an "address" nor a "source"',
    details: {
      notes: ['"source" makes it a template for the contracts that an event announces'],
      hint: 'add the "address" of the contract',
    },
  };
}

function bothKinds({ members }: Place): Violation {
  const address = present(members.get("address"), "no address").key.at;
  const source = present(members.get("source"), "no source").key.at;
  const [first, second] = address.start < source.start ? [address, source] : [source, address];
  return {
    code: "instance-kind",
    at: second,
    message: 'an instance has both an "address" and a "source"',
    details: {
      related: [{ at: first, text: "the other one" }],
      notes: ["an address makes it one contract, a source a template for many"],
      hint: "split it into two instances",
    },
  };
}

function wrongName({ members }: Place, error: ErrorObject): Violation {
  const name = present(error.propertyName, "a name's error without a name");
  const { key } = present(members.get(name), `no key ${name}`);
  const message = `${quote(name)} is not a name to use here`;
  return { code: "wrong-name", at: key.at, message, details: { notes: [expectation(error)] } };
}

function wrongValue(code: Code, place: Place, error: ErrorObject): Violation {
  const subject = subjectOf(place);
  const found = describe(place.node);
  const wanted = expectation(error);
  const details = { hint: fixOf(place.node, error) };
  const message = `${subject} ${wanted}, not ${found}`;
  if (message.length <= 80) return { code, at: place.node.at, message, details };
  // The first line stays short: what is wanted goes below it.
  const short = `${subject} cannot be ${found}`;
  return { code, at: place.node.at, message: short, details: { ...details, notes: [`it ${wanted}`] } };
}

function expectation(error: ErrorObject): string {
  const { errorMessage } = error.parentSchema as { errorMessage?: unknown };
  invariant(typeof errorMessage === "string", `the schema says nothing about ${error.schemaPath}`);
  return errorMessage;
}

function describe(node: TreeNode): string {
  switch (node.kind) {
    case "object":
      return node.members.length === 0 ? "an empty object" : "an object";
    case "array":
      return node.items.length === 0 ? "an empty list" : "a list";
    case "string":
      return node.value === "" ? "an empty string" : quote(node.value);
    case "null":
      return "null";
    case "number":
      return `the number ${node.value}`;
    case "boolean":
      return String(node.value);
  }
}

/** What to write instead, where that is beyond doubt. */
function fixOf(node: TreeNode, error: ErrorObject): string | undefined {
  const wanted = error.keyword === "const" ? "string" : error.params.type;
  const written = node.at.source.text.slice(node.at.start, node.at.end);
  const isPlain = node.kind === "number" || node.kind === "boolean";
  if (error.keyword === "const") return isPlain && written === "1" ? 'write "1", in quotes' : 'write "1"';
  if (wanted === "string" && isPlain) return `write ${quote(written)}, in quotes`;
  if (node.kind !== "string") return undefined;
  const isBare =
    wanted === "boolean"
      ? /^(true|false)$/.test(node.value)
      : wanted === "integer" && /^\d+$/.test(node.value);
  if (isBare) return `write ${node.value}, without quotes`;
  return wanted === "array" ? `write [${quote(node.value)}]` : undefined;
}
