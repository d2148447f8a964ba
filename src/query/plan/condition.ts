import type { ApiSchema } from "../api/api-schema.js";
import type { FilterKey, FilterOp } from "../api/filters.js";
import type { ModelField, ModelType } from "../api/model.js";
import { QueryError } from "../query-error.js";
import { decodeScalar } from "../request/decode.js";
import type { QueryValue } from "../request/values.js";

/** A condition on entities. */
export type Condition =
  | { readonly kind: "and" | "or"; readonly all: readonly Condition[] }
  | {
      readonly kind: "field";
      readonly field: ModelField;
      readonly op: Exclude<FilterOp, "child">;
      readonly value: ConditionValue;
    }
  | { readonly kind: "child"; readonly field: ModelField; readonly condition: Condition }
  | { readonly kind: "changed"; readonly since: string }
  | { readonly kind: "search"; readonly search: string; readonly text: string };

/** In the database's form, except references, which stay as the client wrote them. */
export type ConditionValue = string | null | readonly string[];

/** Reads the condition in `where`. @throws QueryError for a value with the wrong shape */
export function conditionOf(
  where: QueryValue | undefined,
  type: ModelType,
  api: ApiSchema,
): Condition | undefined {
  return where?.kind === "Object" ? allOf(where.entries, type, api) : undefined;
}

type Entries = ReadonlyMap<string, QueryValue>;

function allOf(entries: Entries, type: ModelType, api: ApiSchema): Condition {
  if (entries.has("or")) refuseMixing([...entries.keys()]);
  if (entries.has("and") && entries.has("or")) return bothOf(entries, type, api);
  const all = [...entries].map(([key, value]) => oneOf(key, value, entries, type, api));
  return { kind: "and", all };
}

function refuseMixing(keys: readonly string[]): void {
  const columns = keys.filter((key) => key !== "or" && key !== "and" && key !== "_change_block");
  if (columns.length === 0) return;
  const names = columns.map((key) => `'${key}'`).join(", ");
  throw new QueryError(
    `Cannot mix column filters with 'or' operator at the same level. Found column filter(s) ${names} ` +
      `alongside 'or' operator.\n\nInstead of:\nwhere: { ${names}, or: [...] }\n\n` +
      `Use:\nwhere: { or: [{ ${names}, ... }, { ${names}, ... }] }`,
  );
}

function oneOf(key: string, value: QueryValue, beside: Entries, type: ModelType, api: ApiSchema): Condition {
  if (key === "_change_block") return changed(value);
  if (key === "and" || key === "or") return { kind: key, all: itemsBeside(beside, type, api) };
  const filter = api.filtersOf(type).get(key);
  if (!filter) throw new QueryError(`Type \`${type.name}\` has no field \`${key}\``);
  return filter.op === "child" ? child(filter, value, api) : onField(filter, filter.op, value);
}

/** Combines the lists of `and` and `or`: all items of the first and one of the second. An empty list adds nothing. */
function bothOf(entries: Entries, type: ModelType, api: ApiSchema): Condition {
  const all = itemsBeside(entries, type, api);
  return { kind: all.length === 0 ? "or" : "and", all };
}

/** graph-node reads the keys next to `and` and `or` as one more list. */
function itemsBeside(beside: Entries, type: ModelType, api: ApiSchema): readonly Condition[] {
  return [...beside.values()].flatMap((list) => itemsOf(list, type, api));
}

function shapeless(): QueryError {
  return new QueryError("Filter must by an object");
}

function changed(value: QueryValue): Condition {
  const since = value.kind === "Object" ? value.entries.get("number_gte") : undefined;
  if (since?.kind !== "Int") throw shapeless();
  return { kind: "changed", since: since.value.toString() };
}

function itemsOf(list: QueryValue, type: ModelType, api: ApiSchema): readonly Condition[] {
  if (list.kind !== "List") throw shapeless();
  return list.items.map((item) => {
    if (item.kind !== "Object") throw shapeless();
    return allOf(item.entries, type, api);
  });
}

function child({ field }: FilterKey, value: QueryValue, api: ApiSchema): Condition {
  if (value.kind !== "Object") {
    throw new QueryError(`Query contains value with invalid type \`${field.base}\`: \`null\``);
  }
  return { kind: "child", field, condition: allOf(value.entries, api.type(field.base), api) };
}

function onField({ field }: FilterKey, op: Exclude<FilterOp, "child">, value: QueryValue): Condition {
  const scalar = field.kind === "scalar" ? field.base : "String";
  const decoded = decodeValue(value, scalar);
  if ((op === "in" || op === "not_in") && decoded === null) {
    throw new QueryError(`Non-list value passed to \`_${op}\` filter`);
  }
  return { kind: "field", field, op, value: decoded };
}

function decodeValue(value: QueryValue, scalar: string): ConditionValue {
  if (value.kind === "Null") return null;
  if (value.kind === "List") return value.items.map((item) => decodeScalar(item, scalar));
  return decodeScalar(value, scalar);
}
