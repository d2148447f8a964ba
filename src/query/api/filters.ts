import type { ModelField, ModelType, QueryModel } from "./model.js";

/** The operators of conditions. */
export type FilterOp = "eq" | "not" | "gt" | "lt" | "gte" | "lte" | "in" | "not_in" | TextOp | "child";

/** The operators that search strings, bytes and lists. */
export type TextOp = `${"" | "not_"}${"contains" | "starts_with" | "ends_with"}${"" | "_nocase"}`;

export interface FilterKey {
  readonly key: string;
  readonly field: ModelField;
  readonly op: FilterOp;
  /** The type of the value. */
  readonly type: string;
}

const equality = ["eq", "not", "in", "not_in"] as const;
const comparisons = ["eq", "not", "gt", "lt", "gte", "lte", "in", "not_in"] as const;
const ofBytes = [...comparisons, "contains", "not_contains"] as const;
const ofStrings = [
  ...comparisons,
  "contains",
  "contains_nocase",
  "not_contains",
  "not_contains_nocase",
  "starts_with",
  "starts_with_nocase",
  "not_starts_with",
  "not_starts_with_nocase",
  "ends_with",
  "ends_with_nocase",
  "not_ends_with",
  "not_ends_with_nocase",
] as const;
const ofLists = ["eq", "not", "contains", "not_contains"] as const;
const ofTextLists = [
  "eq",
  "not",
  "contains",
  "contains_nocase",
  "not_contains",
  "not_contains_nocase",
] as const;
const ofAggregated = ["eq", "gt", "lt", "gte", "lte", "in"] as const;

const numeric = new Set(["BigInt", "BigDecimal", "Int", "Int8", "Timestamp"]);

/** The keys of `where` for a type, in graph-node's order, without `_change_block`, `and` and `or`. */
export function filterKeys(type: ModelType, model: QueryModel): readonly FilterKey[] {
  return [...type.fields.values()].flatMap((field) =>
    type.kind === "aggregation" ? aggregationKeys(field, model) : entityKeys(field, model),
  );
}

function aggregationKeys(field: ModelField, model: QueryModel): readonly FilterKey[] {
  if (field.aggregate) return [];
  if (field.kind === "reference") {
    const type = addressOf(field, model);
    return [...keys(field, type === "Int" ? ofAggregated : ["eq"], type), childKey(field)];
  }
  return keys(field, numeric.has(field.base) ? ofAggregated : ["eq"], field.base);
}

function entityKeys(field: ModelField, model: QueryModel): readonly FilterKey[] {
  if (field.kind === "reference") return referenceKeys(field, model);
  if (field.list) return keys(field, field.base === "String" ? ofTextLists : ofLists, `[${field.base}!]`);
  return keys(field, field.kind === "enum" ? equality : opsOf(field.base), field.base);
}

function opsOf(scalar: string): readonly FilterOp[] {
  if (scalar === "Boolean") return equality;
  if (scalar === "Bytes") return ofBytes;
  return scalar === "String" ? ofStrings : comparisons;
}

/** References are filtered by id; ids of bytes are written as strings. */
function referenceKeys(field: ModelField, model: QueryModel): readonly FilterKey[] {
  const child = childKey(field);
  if (field.derivedFrom !== undefined) return [child];
  const id = idScalarOf(field.base, model);
  const type = addressOf(field, model);
  if (!field.list) return [...keys(field, type === "Int" ? comparisons : ofStrings, type), child];
  const isText = id === "String" || id === "ID";
  return [...keys(field, isText ? ofTextLists : ofLists, `[${type}!]`), child];
}

function addressOf(field: ModelField, model: QueryModel): "Int" | "String" {
  return idScalarOf(field.base, model) === "Int8" ? "Int" : "String";
}

function childKey(field: ModelField): FilterKey {
  return { key: `${field.name}_`, field, op: "child", type: `${field.base}_filter` };
}

function keys(field: ModelField, ops: readonly FilterOp[], type: string): readonly FilterKey[] {
  return ops.map((op) => ({
    key: op === "eq" ? field.name : `${field.name}_${op}`,
    field,
    op,
    type: op === "in" || op === "not_in" ? `[${type}!]` : type,
  }));
}

/** The id type of a named type; for an interface, that of its first implementation. */
export function idScalarOf(name: string, { types }: QueryModel): string {
  const first = types.get(name)?.concrete[0];
  return (first === undefined ? undefined : types.get(first)?.fields.get("id")?.base) ?? "String";
}
