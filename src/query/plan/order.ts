import type { ApiSchema } from "../api/api-schema.js";
import type { ModelField, ModelType } from "../api/model.js";
import { QueryError } from "../query-error.js";
import type { QueryValue } from "../request/values.js";

/** The order of a collection. */
export interface Order {
  readonly direction: "asc" | "desc";
  readonly by: OrderBy;
}

export type OrderBy =
  | { readonly kind: "id" }
  /** The default order of aggregations. */
  | { readonly kind: "time" }
  | { readonly kind: "field"; readonly field: ModelField }
  | { readonly kind: "child"; readonly field: ModelField; readonly child: ModelField }
  | { readonly kind: "rank"; readonly search: string; readonly text: string };

type Args = ReadonlyMap<string, QueryValue>;

/** Reads the requested order. @throws QueryError for fields that the enum offers but that cannot be ordered by */
export function orderOf(args: Args, type: ModelType, api: ApiSchema): Order {
  const given = args.get("orderBy");
  if (given?.kind !== "Enum") {
    return type.kind === "aggregation"
      ? { by: { kind: "time" }, direction: "desc" }
      : { by: { kind: "id" }, direction: "asc" };
  }
  const direction = directionOf(args);
  const key = api.ordersOf(type).get(given.value);
  if (!key) throw new QueryError(`Type \`${type.name}\` has no field \`${given.value}\``);
  const { field, child } = key;
  if (child) {
    if (child.kind === "enum") throw notSortable(child, field.base);
    return { by: { kind: "child", field, child }, direction };
  }
  if (field.list || field.kind !== "scalar") throw notSortable(field, tableType(type, args));
  return { by: field.name === "id" ? { kind: "id" } : { kind: "field", field }, direction };
}

/** Names an aggregation with its interval. */
function tableType({ name, aggregation }: ModelType, args: Args): string {
  const interval = args.get("interval");
  return aggregation && interval?.kind === "Enum" ? `${name}_${interval.value}` : name;
}

function directionOf(args: Args): "asc" | "desc" {
  const given = args.get("orderDirection");
  return given?.kind === "Enum" && given.value === "desc" ? "desc" : "asc";
}

function notSortable({ name }: ModelField, type: string): QueryError {
  return new QueryError(`Ordering by \`${name}\` is not supported for type \`${type}\``);
}
