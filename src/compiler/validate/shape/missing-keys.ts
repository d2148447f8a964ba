import type { ErrorObject } from "ajv/dist/2020.js";
import { quote } from "../../../base/text/quote.js";
import { nearName } from "../../diagnostics/correct-name.js";
import { type SchemaPart, schemaAt } from "../schema.js";
import type { WordContext } from "./other-words.js";
import { itemsOf, optionalString } from "./tree-access.js";
import { headOf, type IndexedValue, isInstance, nameInMessages } from "./tree-index.js";
import { schemaOf, type Violation } from "./violation.js";

/**
 * The violations for settings that an object lacks.
 * @param meant settings present under a different name
 */
export function missingKeys(
  place: IndexedValue,
  errors: readonly ErrorObject[],
  meant: ReadonlySet<string>,
  context: WordContext,
): Violation[] {
  const isUnplaced = isInstance(place) && errors.some(isOfKind);
  if (isUnplaced && !place.members.has("address") && !meant.has("address")) {
    const own = errors.filter((error) => error.params.missingProperty === "abi");
    const kind = meant.has("source") ? [] : [noKind(place)];
    return [...kind, ...own.map((error) => missingKey(place, error, context))];
  }
  return errors.map((error) => missingKey(place, error, context));
}

/** Whether an error is about a setting that only one kind of object requires. */
function isOfKind({ schemaPath }: ErrorObject): boolean {
  return schemaPath.includes("/else/");
}

function missingKey(place: IndexedValue, error: ErrorObject, context: WordContext): Violation {
  const name = error.params.missingProperty as string;
  // The settings that one kind of object requires are listed outside its description.
  const whole = isInstance(place) ? "#/$defs/instance" : `#/$defs/${name === "entities" ? "handler" : "abi"}`;
  const owner = isOfKind(error) ? schemaAt(whole) : schemaOf(error);
  const meaning = owner?.properties?.[name]?.description;
  return {
    code: "missing-key",
    at: headOf(place),
    message: `${nameInMessages(place)} has no ${quote(name)}`,
    details: {
      label: `${quote(name)} belongs here`,
      notes: typeof meaning === "string" ? [`${quote(name)}: ${firstSentence(meaning)}`] : [],
      hint: toAdd(name, owner, place, context),
      ...(name === "version" && {
        fix: [{ kind: "add" as const, at: place.node.at, key: "version", value: "1" }],
      }),
    },
  };
}

/** The text to write, if known, or else an example. */
function toAdd(
  name: string,
  owner: SchemaPart | undefined,
  place: IndexedValue,
  context: WordContext,
): string {
  const setting = (value: string): string => `${quote(name)}: ${quote(value)}`;
  if (name === "version") return `add ${setting("1")}`;
  const isCall = place.parent?.key?.value === "calls" && name === "name";
  if (isCall && place.key) {
    const functions = functionsOf(place, context);
    const fn = functions.has(place.key.value)
      ? place.key.value
      : nearName(place.key.value, functions.keys())?.name;
    if (fn !== undefined) return `add ${setting(fn)}`;
    const [example] = functions;
    return `add "name"${example === undefined ? "" : `, such as ${setting(example)}`}`;
  }
  if (name === "entities") return 'add "entities": {} and put the entities in it';
  if (!isInstance(place)) return `add ${quote(name)}${example(name, owner)}`;
  if (name === "chain") {
    const [chain, ...others] = new Set(siblings(place, name));
    return chain !== undefined && others.length === 0
      ? `add ${setting(chain)}`
      : `add "chain", such as ${setting(chain ?? "mainnet")}`;
  }
  const [abi, ...others] = context.abis.keys();
  if (name !== "abi" || abi === undefined) return `add ${quote(name)}`;
  return others.length === 0 ? `add ${setting(abi)}` : `add "abi", such as ${setting(abi)}`;
}

/** An example of a setting that is an object or a list. */
function example(name: string, owner: SchemaPart | undefined): string {
  const [one] = owner?.properties?.[name]?.examples ?? [];
  return typeof one === "object" && one !== null ? `, such as ${quote(name)}: ${JSON.stringify(one)}` : "";
}

/** The functions of a call's ABI: its own, or the instance's. */
function functionsOf(call: IndexedValue, { functions }: WordContext): ReadonlySet<string> {
  const own = optionalString(call.node, "abi");
  let place: IndexedValue | undefined = call;
  while (place && !isInstance(place)) place = place.parent;
  const abi = own ?? optionalString(place?.node, "abi");
  return functions(abi?.value ?? "");
}

/** The setting's values in other instances. */
function siblings({ parent }: IndexedValue, key: string): readonly string[] {
  return itemsOf(parent?.node).flatMap((instance) => optionalString(instance, key)?.value ?? []);
}

/** The first sentence of a description, worded for the middle of a sentence. */
function firstSentence(text: string): string {
  const [sentence = text] = text.split(/\.(?:\s|$)/);
  return /^[A-Z][a-z]/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence;
}

function noKind(place: IndexedValue): Violation {
  return {
    code: "instance-kind",
    at: headOf(place),
    message: 'an instance has neither an "address" nor a "source"',
    details: {
      label: "one of the two belongs here",
      notes: ['a "source" makes it a template for the contracts that an event announces'],
      hint: 'add the "address" of the contract',
    },
  };
}
