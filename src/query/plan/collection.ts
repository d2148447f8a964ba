import type { ApiSchema } from "../api/api-schema.js";
import type { ModelType } from "../api/model.js";
import type { QueryLimits } from "../limits.js";
import { QueryError } from "../query-error.js";
import type { SelectedField } from "../request/selection.js";
import { debugText, type QueryValue } from "../request/values.js";
import { type Condition, conditionOf } from "./condition.js";
import { type Order, orderOf } from "./order.js";

/** The queried entities and their order. */
export interface Collection {
  readonly type: ModelType;
  /** Only for aggregations. */
  readonly interval?: string;
  /** Only for aggregations: whether to include the current bucket. */
  readonly current: boolean;
  readonly condition: Condition | undefined;
  readonly order: Order;
  readonly first: number;
  readonly skip: number;
}

type Args = ReadonlyMap<string, QueryValue>;

/**
 * Reads the arguments of a list field. As in graph-node, the order is read first, then the range and the conditions.
 * @throws QueryError for the first invalid one
 */
export function collectionOf(
  field: Pick<SelectedField, "args" | "position">,
  type: ModelType,
  api: ApiSchema,
  limits: QueryLimits,
): Collection {
  const { args } = field;
  const order = orderOf(args, type, api);
  const range = rangeOf(args, limits);
  const condition = conditionOf(args.get("where"), type, api);
  return { type, condition, order, ...range, ...bucketsOf(field, type) };
}

/** Reads a full-text search. The worst match comes first, as in graph-node. @throws QueryError */
export function searchOf(
  search: string,
  args: Args,
  type: ModelType,
  api: ApiSchema,
  limits: QueryLimits,
): Collection {
  const range = rangeOf(args, limits);
  const given = args.get("text");
  const text = given?.kind === "String" ? given.value : "";
  const where = conditionOf(args.get("where"), type, api);
  const found: Condition = { kind: "search", search, text };
  return {
    type,
    condition: where ? { kind: "and", all: [found, where] } : found,
    order: { by: { kind: "rank", search, text }, direction: "asc" },
    current: false,
    ...range,
  };
}

/** The entities of a type that another condition restricts. */
export function everyOne(type: ModelType, first: number): Collection {
  const order: Order = { by: { kind: "id" }, direction: "asc" };
  return { type, condition: undefined, order, first, skip: 0, current: false };
}

function rangeOf(args: Args, limits: QueryLimits): { first: number; skip: number } {
  const first = numberOf(args, "first", 100);
  const skip = numberOf(args, "skip", 0);
  if (first < 1 || first > limits.first) throw outOfRange("first", limits.first, first);
  if (skip < 0 || skip > limits.skip) throw outOfRange("skip", limits.skip, skip);
  return { first, skip };
}

function numberOf(args: Args, name: string, initial: number): number {
  const value = args.get(name);
  return value?.kind === "Int" ? Number(value.value) : initial;
}

function outOfRange(name: string, most: number, given: number): QueryError {
  return new QueryError(`The \`${name}\` argument must be between 0 and ${most}, but is ${given}`, {
    attestable: false,
  });
}

function bucketsOf(
  { args, position }: Pick<SelectedField, "args" | "position">,
  type: ModelType,
): { interval?: string; current: boolean } {
  const interval = args.get("interval");
  const current = args.get("current");
  if (!type.aggregation || interval?.kind !== "Enum") return { current: false };
  if (!type.aggregation.intervals.includes(interval.value)) {
    throw new QueryError(`the aggregation ${type.name} has no interval ${interval.value}`, {
      attestable: false,
    });
  }
  if (current?.kind === "Null") {
    throw new QueryError(`Invalid value provided for argument \`current\`: ${debugText(current)}`, {
      position,
    });
  }
  return { interval: interval.value, current: current?.kind === "Enum" && current.value === "include" };
}
