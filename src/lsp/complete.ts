import { chainNames } from "../chains/find-chain.js";
import { type AbiFunction, callSignature, manifestSignature, plainSignature } from "../compiler/abi/abi.js";
import { isCallable } from "../compiler/abi/bind-abi.js";
import { findTriggers } from "../compiler/resolve/find-triggers.js";
import { member, memberAt } from "../compiler/source/tree.js";
import { type SchemaPart, schemaAt } from "../compiler/validate/schema.js";
import type { Cursor } from "./cursor.js";
import { type ExpressionPlace, type Name, namesAfter } from "./expressions.js";
import { abiNameAt, handlerAt, textAt } from "./handler-at.js";
import type { ReadConfig } from "./read-config.js";

/** Something that can be written at the cursor. */
export interface Proposal {
  readonly label: string;
  /** What is written instead of the label. */
  readonly written?: string;
  readonly kind: "key" | "value" | Name["kind"];
  readonly detail?: string | undefined;
  readonly about?: string | undefined;
}

/** What the cursor is in: a text to replace, or a place without one. */
export interface Proposals {
  readonly all: readonly Proposal[];
  /** The decoded part of the text that a proposal replaces; missing between values. */
  readonly replaces?: { readonly start: number; readonly end: number } | undefined;
  /** Whether a proposal is written in quotes, because the cursor is not in a text. */
  readonly isQuoted: boolean;
}

const fieldTypes = [
  "address",
  "bool",
  "string",
  "bytes",
  "bytes32",
  "int24",
  "int256",
  "uint8",
  "uint256",
  "fixed",
  "address[]",
  "uint256[]",
];

/** What can be written at a place. */
export function completeAt(config: ReadConfig, cursor: Cursor): Proposals {
  const { text, kind } = cursor;
  const whole = text && { start: 0, end: text.string.value.length };
  const expression = kind === "value" ? expressionAt(config, cursor.path) : undefined;
  if (expression && text) {
    const before = text.string.value.slice(0, text.at);
    const word = /[\w$]*$/.exec(before)?.[0] ?? "";
    return {
      all: namesAfter(before, expression).map(({ name, ...rest }) => ({ label: name, ...rest })),
      replaces: { start: text.at - word.length, end: text.at },
      isQuoted: false,
    };
  }
  const all = kind === "value" ? valuesAt(config, cursor.path) : keysAt(config, cursor);
  return { all, replaces: whole, isQuoted: text === undefined };
}

/** Whether a value is an expression, and whose. */
export function expressionAt(config: ReadConfig, path: readonly string[]): ExpressionPlace | undefined {
  const handler = handlerAt(config, path);
  const [, , , , , part, name, third, fourth] = path;
  if (!handler) return undefined;
  if (part === "calls" && path.length === 8 && (third === "params" || third === "source"))
    return { handler, call: name, hasResult: false };
  if (part === "calls" && third === "conditions" && path.length === 9)
    return { handler, call: name, hasResult: fourth === "post" };
  if (part !== "entities") return undefined;
  // An object of fields, or a list of items with `id` and `mapping`.
  const isField = path.length === 8 && memberAt(config.tree, path.slice(0, 7))?.kind === "object";
  const isId = path.length === 9 && fourth === "id";
  const isMapped = path.length === 10 && fourth === "mapping";
  return isField || isId || isMapped ? { handler, hasResult: false } : undefined;
}

function valuesAt(config: ReadConfig, path: readonly string[]): readonly Proposal[] {
  const last = path.at(-1);
  const isOfInstance = path[0] === "instances";
  if (isOfInstance && last === "abi") return abiNames(config);
  if (isOfInstance && last === "chain")
    return [...chainNames].map((label) => ({ label, kind: "value", detail: "chain" }));
  if (isOfInstance && path[2] === "source" && last === "eventSignature") {
    const abi = textAt(memberAt(config.tree, path.slice(0, 3)) ?? config.tree, "abi");
    const events = abi === undefined ? [] : (config.abis.get(abi)?.abi.events ?? []);
    return events.map((event) => ({ label: manifestSignature(event), kind: "value", detail: "event" }));
  }
  if (path.length === 8 && path[5] === "calls" && last === "name") return functionsOf(config, path);
  const schema = schemaOf(path);
  return constants(schema).map((label) => ({ label, kind: "value", about: textOf(schema?.description) }));
}

function abiNames({ abis }: ReadConfig): readonly Proposal[] {
  return [...abis].map(([label, { abi }]) => ({
    label,
    kind: "value",
    detail: `ABI with ${abi.events.length} events and ${abi.functions.length} functions`,
  }));
}

function functionsOf(config: ReadConfig, path: readonly string[]): readonly Proposal[] {
  const call = memberAt(config.tree, path.slice(0, 7));
  const name = (call && textAt(call, "abi")) ?? abiNameAt(config, path);
  const functions =
    (name === undefined ? undefined : config.abis.get(name))?.abi.functions.filter(isCallable) ?? [];
  const isOverloaded = ({ name: own }: AbiFunction): boolean =>
    functions.filter((other) => other.name === own).length > 1;
  return functions.map((fn) => ({
    label: isOverloaded(fn) ? plainSignature(fn) : fn.name,
    kind: "function",
    detail: callSignature(fn),
    about: fn.mutability,
  }));
}

/** Names for the keys of an object: settings, events and functions, and field types. */
function keysAt(config: ReadConfig, { path, kind, inside }: Cursor): readonly Proposal[] {
  if (inside.kind !== "object") return [];
  const own = kind === "key" ? path.slice(0, -1) : path;
  const written = kind === "key" ? path.at(-1) : undefined;
  const isFree = (name: string): boolean => name === written || !member(inside, name);
  if (own.length === 4 && own[2] === "enrich" && own[3] === "handlers")
    return triggers(config, own).filter(({ label }) => isFree(label));
  if (own[5] === "entities" && expressionAt(config, [...own, "x"])) return fieldKeys(written ?? "");
  const { properties = {} } = schemaOf(own) ?? {};
  return Object.entries(properties)
    .filter(([name]) => isFree(name))
    .map(([label, schema]) => ({
      label,
      kind: "key",
      detail: textOf((schema as { readonly title?: unknown }).title),
      about: textOf(resolved(schema).description),
    }));
}

function triggers(config: ReadConfig, path: readonly string[]): readonly Proposal[] {
  const name = abiNameAt(config, path);
  const read = name === undefined ? undefined : config.abis.get(name);
  const calls = memberAt(config.tree, ["enableCallHandlers"]);
  const entries = read ? findTriggers(read, calls?.kind === "boolean" && calls.value) : [];
  return entries.map((entry) => ({
    label: plainSignature(entry),
    kind: "key",
    detail: entry.kind,
    ...(entry.kind === "event" && { about: manifestSignature(entry) }),
  }));
}

/** A field's name is there already, and its type follows. */
function fieldKeys(written: string): readonly Proposal[] {
  const [name = ""] = written.split(" ");
  if (name === "") return [];
  return fieldTypes.map((type) => ({ label: `${name} ${type}`, kind: "key", detail: "field" }));
}

/** The schema of the value at a path. */
export function schemaOf(path: readonly string[]): SchemaPart | undefined {
  let part = schemaAt("#");
  for (const step of path) {
    const known = part && resolved(part);
    const own =
      known?.properties && Object.hasOwn(known.properties, step) ? known.properties[step] : undefined;
    const { items, additionalProperties } = (known ?? {}) as {
      readonly items?: SchemaPart;
      readonly additionalProperties?: SchemaPart | boolean;
    };
    part =
      own ??
      (/^\d+$/.test(step) ? items : undefined) ??
      (typeof additionalProperties === "object" ? additionalProperties : undefined);
  }
  return part && resolved(part);
}

function resolved(part: SchemaPart): SchemaPart {
  const { $ref } = part as { readonly $ref?: string };
  return $ref === undefined ? part : (schemaAt($ref) ?? part);
}

/** The values that a schema lists. */
function constants(schema: SchemaPart | undefined): readonly string[] {
  const { enum: listed = [], const: only } = (schema ?? {}) as {
    readonly enum?: readonly unknown[];
    readonly const?: unknown;
  };
  return [...listed, only].filter((value) => typeof value === "string");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
