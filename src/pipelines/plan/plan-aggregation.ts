import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import type { TreeNode } from "../../compiler/source/tree.js";
import type { RowColumn, ValueType } from "../changes/schema.js";
import { type OverrideType, overrideType } from "../definition/override-type.js";
import {
  type AggregateFunction,
  readAggregates,
  readGroups,
  type WrittenAggregate,
  type WrittenGroup,
} from "../definition/read-aggregates.js";
import { findColumn } from "./check-key.js";
import type { PlannedAggregate, PlannedAggregation, PlannedGroup } from "./pipeline-plan.js";

/** The value types that each function accepts. */
const takes: Readonly<Record<AggregateFunction, ReadonlySet<ValueType>>> = {
  count: new Set([
    ...([
      "STRING",
      "JSON",
      "LONG",
      "DOUBLE",
      "DECIMAL",
      "NUMERIC",
      "BOOLEAN",
      "TIMESTAMP",
      "ARRAY<STRING>",
    ] as const),
  ]),
  // Sums of floating-point numbers depend on the order, so subtracting would not be exact.
  sum: new Set(["LONG", "DECIMAL", "NUMERIC"]),
  avg: new Set(["LONG", "DECIMAL", "NUMERIC"]),
  min: new Set(["STRING", "LONG", "DOUBLE", "DECIMAL", "NUMERIC", "TIMESTAMP"]),
  max: new Set(["STRING", "LONG", "DOUBLE", "DECIMAL", "NUMERIC", "TIMESTAMP"]),
};

/** Longest name: other columns of the table have it in their names. */
const longestName = 40;

/**
 * Looks up the columns of groups and aggregates, and reports the ones that cannot be computed.
 * @returns `undefined` after a reported error
 */
export function planAggregation(
  groupBy: TreeNode,
  aggregate: TreeNode,
  columns: readonly RowColumn[],
  report: Report,
): PlannedAggregation | undefined {
  const groups = readGroups(groupBy, report)?.map((group) => planGroup(group, columns, report));
  const written = readAggregates(aggregate, report);
  const aggregates = written?.map((one) => planAggregate(one, columns, report));
  if (!groups?.every((group) => group !== undefined)) return undefined;
  if (!aggregates?.every((one) => one !== undefined)) return undefined;
  const twice = written?.find(({ name }) => groups.some((group) => group.name === name.value));
  if (!twice) return { groups, aggregates };
  const { value, at } = twice.name;
  report.error("duplicate-key", at, `two columns of the table have the name ${quote(value)}`, {
    hint: "rename the aggregate, and write its column as from",
  });
  return undefined;
}

function planGroup(
  { name, settings }: WrittenGroup,
  columns: readonly RowColumn[],
  report: Report,
): PlannedGroup | undefined {
  const column = findColumn(name, columns, report);
  const chosen = settings.type && checkType(settings.type, report);
  if (!column || (settings.type && !chosen)) return undefined;
  return { name: column.name, type: column.type, ...(chosen && { chosen }) };
}

function planAggregate(
  { name, settings: { fn, from, type } }: WrittenAggregate,
  columns: readonly RowColumn[],
  report: Report,
): PlannedAggregate | undefined {
  const chosen = type && checkType(type, report);
  if (name.value.length > longestName || name.value.startsWith("graphloom_")) {
    report.error(
      "wrong-value",
      name.at,
      `the name of an aggregate has at most ${longestName} characters, and does not begin with graphloom_`,
    );
    return undefined;
  }
  if (!fn || (type && !chosen)) return undefined;
  const what = { name: name.value, fn: fn.value as AggregateFunction, ...(chosen && { chosen }) };
  if (what.fn === "count" && !from) return { ...what, of: undefined };
  const column = findColumn(from ?? name, columns, report);
  if (!column) return undefined;
  if (takes[what.fn].has(column.type)) return { ...what, of: column };
  report.error(
    "wrong-value",
    (from ?? name).at,
    `${what.fn} cannot be computed of ${quote(column.name)}, whose type is ${column.type}`,
    { hint: `it takes ${[...takes[what.fn]].join(", ")}; cast the column in the query` },
  );
  return undefined;
}

function checkType(text: LocatedString, report: Report): OverrideType | undefined {
  const type = overrideType(text.value);
  // JSON has no equality, and no order.
  if (type && type.name !== "json") return type;
  report.error("wrong-value", text.at, `${quote(text.value)} is not a type that the column can have`, {
    hint: "write a type such as text, bigint, numeric(78,0) or timestamptz",
  });
  return undefined;
}
