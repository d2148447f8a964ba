import type { ErrorObject } from "ajv/dist/2020.js";
import type { Member, TreeNode } from "../../source/tree.js";
import { childOf, membersOf, optionalString } from "./tree-access.js";
import type { IndexedValue } from "./tree-index.js";

/** Maximum length of a hint: a truncated one could not be copied. */
const longest = 200;

/**
 * The right form of a list in place of an object, or vice versa.
 * @returns a hint made from the value
 */
export function rightShape(place: IndexedValue, { schemaPath }: ErrorObject): string | undefined {
  const { node } = place;
  const setting = /\/properties\/(\w+)\/type$/.exec(schemaPath)?.[1] ?? "";
  const shape =
    node.kind === "array" && node.items.length > 0
      ? ofList(setting, node.items, place)
      : (ofObject(setting, node) ?? ofText(schemaPath, node));
  return shape === undefined || shape.length > longest ? undefined : `write ${shape}`;
}

/** Keys with which users name items of a list where an object is required. */
const namedBy: Readonly<Record<string, readonly string[]>> = {
  abis: ["name", "abi", "contractName"],
  handlers: ["event", "signature", "eventSignature", "function", "name"],
  calls: ["ref", "key", "as", "id", "name", "method", "function"],
  entities: ["name", "entity", "type"],
};

/** Keys that are settings of the item, not only its name. */
const kept = new Set(["method", "function", "name"]);

/** The name that an item of a list would have as a member of an object. */
export function nameOfItem(setting: string, item: TreeNode): string | undefined {
  if (item.kind === "string") return setting === "abis" ? fileName(item.value) : item.value;
  const name = namedBy[setting]?.find((key) => optionalString(item, key) !== undefined);
  return name === undefined ? undefined : optionalString(item, name)?.value;
}

function ofList(setting: string, items: readonly TreeNode[], { parent }: IndexedValue): string | undefined {
  const [first] = items;
  if (!first) return undefined;
  if (setting === "address" || setting === "chain") return ofSeveral(setting, items, parent);
  const name = nameOfItem(setting, first);
  if (namedBy[setting] === undefined || name === undefined) return undefined;
  const value = first.kind === "string" ? ofName(setting, first.value) : withoutName(setting, first);
  return `{ ${text(name)}: ${value}${items.length > 1 ? ", …" : ""} }`;
}

/** What a single name in a list means. */
function ofName(setting: string, name: string): string {
  if (setting === "abis") return `{ "path": ${text(name)} }`;
  if (setting === "calls") return `{ "name": ${text(name)} }`;
  return setting === "handlers" ? '{ "entities": { … } }' : "{ … }";
}

function withoutName(setting: string, item: TreeNode): string {
  const key = namedBy[setting]?.find((one) => optionalString(item, one) !== undefined);
  const isKept = setting === "calls" && kept.has(key ?? "");
  const rest = membersOf(item).filter((member) => isKept || member.key.value !== key);
  if (setting !== "entities") return object(rest);
  const [fields, ...others] = rest;
  const isOnlyFields = fields?.value.kind === "object" && others.length === 0;
  return isOnlyFields ? object(membersOf(fields.value)) : `[${object(rest)}]`;
}

/** An instance has one address, and is on one chain. */
function ofSeveral(
  setting: string,
  items: readonly TreeNode[],
  parent: IndexedValue | undefined,
): string | undefined {
  const [first] = items;
  if (first?.kind !== "string") return undefined;
  if (items.length === 1) return text(first.value);
  const abi = optionalString(parent?.node, "abi");
  const named = abi ? `"abi": ${text(abi.value)}, ` : "";
  return `an instance for each: { ${named}${text(setting)}: ${text(first.value)}, … }, …`;
}

/** Instances without a list: a single one, or several by name. */
function ofObject(setting: string, node: TreeNode): string | undefined {
  if (setting !== "instances" || node.kind !== "object") return undefined;
  const [first] = node.members;
  const isOne = ["abi", "address", "source", "chain"].some((key) => childOf(node, key));
  if (isOne) return `[${object(node.members)}]`;
  if (first?.value.kind !== "object") return undefined;
  const rest = membersOf(first.value).filter(({ key }) => key.value !== "abi");
  const inner = members(rest);
  return `[{ "abi": ${text(first.key.value)}${inner === "" ? "" : `, ${inner}`} }]`;
}

/** An object's most important setting, written in place of the object. */
function ofText(schemaPath: string, node: TreeNode): string | undefined {
  if (node.kind !== "string") return undefined;
  const value = text(node.value);
  if (schemaPath === "#/$defs/call/type")
    return /^\w+$/.test(node.value) ? `{ "name": ${value} }` : undefined;
  if (schemaPath === "#/$defs/source/type")
    return `{ "abi": ${value}, "eventSignature": …, "addressParam": … }`;
  return schemaPath.endsWith("/conditions/type") ? `{ "pre": ${value} }` : undefined;
}

function object(all: readonly Member[]): string {
  const inner = members(all);
  return inner === "" ? "{}" : `{ ${inner} }`;
}

/** Keeps short values and abbreviates longer ones. */
function members(all: readonly Member[]): string {
  return all.map(({ key, value }) => `${text(key.value)}: ${short(value)}`).join(", ");
}

function short(node: TreeNode): string {
  if (node.kind === "string" && node.value.length <= 50) return text(node.value);
  if (node.kind === "number" || node.kind === "boolean") return String(node.value);
  return "…";
}

function text(value: string): string {
  return JSON.stringify(value);
}

/** `Pool` of `./abis/Pool.json`. */
function fileName(path: string): string | undefined {
  return /([^/\\]+?)(?:\.abi)?\.json$/.exec(path)?.[1];
}
