import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import type { Member, TreeNode } from "../../compiler/source/tree.js";
import { readSettings } from "./read-settings.js";
import { kindOf } from "./read-value.js";
import type { Settings } from "./settings.js";
import type { Shape } from "./shape.js";

/** The function that aggregates the values of a column. */
export type AggregateFunction = "sum" | "count" | "avg" | "min" | "max";

const type = { type: "string", describe: "the type of the column; by default, that of its values" } as const;

const groupShape = { type } as const satisfies Shape;

const aggregateShape = {
  fn: {
    type: "string",
    required: true,
    values: ["sum", "count", "avg", "min", "max"],
    describe: "what is computed: sum, count, avg, min or max",
  },
  from: {
    type: "string",
    describe: "the column whose values are taken; by default, the one of the same name",
  },
  type,
} as const satisfies Shape;

/** A column of a table of aggregates, as written. */
export interface WrittenColumn<S extends Shape> {
  readonly name: LocatedString;
  readonly settings: Settings<S>;
}

export type WrittenGroup = WrittenColumn<typeof groupShape>;
export type WrittenAggregate = WrittenColumn<typeof aggregateShape>;

/** Reads the columns of groups; `undefined` after a reported error. */
export function readGroups(node: TreeNode, report: Report): readonly WrittenGroup[] | undefined {
  return readColumns("group_by", node, groupShape, report);
}

/** Reads aggregates; `undefined` after a reported error. */
export function readAggregates(node: TreeNode, report: Report): readonly WrittenAggregate[] | undefined {
  return readColumns("aggregate", node, aggregateShape, report);
}

function readColumns<S extends Shape>(
  setting: string,
  node: TreeNode,
  shape: S,
  report: Report,
): readonly WrittenColumn<S>[] | undefined {
  if (node.kind !== "object" || node.members.length === 0) {
    const given = node.kind === "object" ? "an empty one" : kindOf(node);
    report.error("wrong-type", node.at, `${quote(setting)} must be a map of columns, not ${given}`);
    return undefined;
  }
  const read = node.members.map((entry) => readColumn(setting, entry, shape, report));
  return read.every((column) => column !== undefined) ? read : undefined;
}

/** A column without settings may be empty. */
function readColumn<S extends Shape>(
  setting: string,
  { key, value }: Member,
  shape: S,
  report: Report,
): WrittenColumn<S> | undefined {
  if (value.kind !== "object" && value.kind !== "null") {
    report.error(
      "wrong-type",
      value.at,
      `${quote(key.value)} must be a map of settings, not ${kindOf(value)}`,
    );
    return undefined;
  }
  const object = value.kind === "object" ? value : { kind: "object" as const, at: value.at, members: [] };
  const what = setting === "group_by" ? "a column of a group" : "an aggregate";
  return { name: key, settings: readSettings(object, shape, { at: key.at, what }, report) };
}
