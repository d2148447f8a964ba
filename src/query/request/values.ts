import { Kind, type ValueNode } from "graphql";
import type { Budget } from "../limits.js";
import { QueryError } from "../query-error.js";

/** A value in a query or in its variables. Keys of objects are sorted. */
export type QueryValue =
  | { readonly kind: "Null" }
  | { readonly kind: "Int"; readonly value: bigint }
  | { readonly kind: "Float"; readonly value: number }
  | { readonly kind: "String" | "Enum"; readonly value: string }
  | { readonly kind: "Boolean"; readonly value: boolean }
  | { readonly kind: "List"; readonly items: readonly QueryValue[] }
  | { readonly kind: "Object"; readonly entries: ReadonlyMap<string, QueryValue> };

export const nullValue: QueryValue = { kind: "Null" };

/** Values by variable name; a missing variable is null. */
export type Variables = ReadonlyMap<string, QueryValue>;

/** Reads a value in a query and inserts variables. */
export function literalValue(node: ValueNode, variables: Variables, budget: Budget): QueryValue {
  budget.spend();
  switch (node.kind) {
    case Kind.VARIABLE: {
      const value = variables.get(node.name.value) ?? nullValue;
      // The variable's values count at every use.
      spendOn(value, budget);
      return value;
    }
    case Kind.INT:
      return { kind: "Int", value: BigInt(node.value) };
    case Kind.FLOAT:
      return { kind: "Float", value: Number(node.value) };
    case Kind.STRING:
    case Kind.ENUM:
      return { kind: node.kind === Kind.STRING ? "String" : "Enum", value: node.value };
    case Kind.BOOLEAN:
      return { kind: "Boolean", value: node.value };
    case Kind.NULL:
      return nullValue;
    case Kind.LIST:
      return { kind: "List", items: node.values.map((item) => literalValue(item, variables, budget)) };
    case Kind.OBJECT:
      return objectOf(
        node.fields.map(({ name, value }) => [name.value, literalValue(value, variables, budget)]),
      );
  }
}

function spendOn(value: QueryValue, budget: Budget): void {
  budget.spend();
  if (value.kind === "List") for (const item of value.items) spendOn(item, budget);
  if (value.kind === "Object") for (const item of value.entries.values()) spendOn(item, budget);
}

/**
 * Reads a JSON value.
 * @param nesting the remaining allowed depth of lists and objects
 * @throws QueryError if it is nested deeper
 */
export function jsonValue(json: unknown, budget: Budget, nesting: number): QueryValue {
  budget.spend();
  if (nesting < 0) {
    throw new QueryError("the variables are nested too deeply", { attestable: false });
  }
  if (typeof json === "string") return { kind: "String", value: json };
  if (typeof json === "boolean") return { kind: "Boolean", value: json };
  if (typeof json === "bigint") return { kind: "Int", value: json };
  if (typeof json === "number") {
    // Keep the client's digits instead of those of the parsed number.
    return fitsInt64(json) ? { kind: "Int", value: BigInt(String(json)) } : { kind: "Float", value: json };
  }
  if (Array.isArray(json)) {
    return { kind: "List", items: json.map((item) => jsonValue(item, budget, nesting - 1)) };
  }
  if (typeof json !== "object" || json === null) return nullValue;
  return objectOf(Object.entries(json).map(([name, value]) => [name, jsonValue(value, budget, nesting - 1)]));
}

function fitsInt64(number: number): boolean {
  return Number.isInteger(number) && number >= -(2 ** 63) && number < 2 ** 63;
}

function objectOf(entries: [string, QueryValue][]): QueryValue {
  return { kind: "Object", entries: new Map(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) };
}

/** Formats a value as in graph-node's messages. */
export function debugText(value: QueryValue): string {
  switch (value.kind) {
    case "Null":
      return "Null";
    case "Int":
      return `Int(Number(${value.value}))`;
    case "Float":
      return `Float(${floatText(value.value)})`;
    case "String":
    case "Enum":
      return `${value.kind}(${quoted(value.value)})`;
    case "Boolean":
      return `Boolean(${value.value})`;
    case "List":
      return `List([${value.items.map(debugText).join(", ")}])`;
    case "Object":
      return `Object({${[...value.entries].map(([key, one]) => `${quoted(key)}: ${debugText(one)}`).join(", ")}})`;
  }
}

function floatText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return value.toExponential().replace("e+", "e");
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function quoted(text: string): string {
  const inner = text.replace(/["\\\p{Cc}]/gu, (character) => {
    const short = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" }[character];
    return short ?? `\\u{${character.charCodeAt(0).toString(16)}}`;
  });
  return `"${inner}"`;
}
