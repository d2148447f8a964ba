import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import { type Member, member, type ObjectNode, type TreeNode } from "../../compiler/source/tree.js";
import type { Rows, RowValue } from "../changes/rows.js";
import type { RowColumn, ValueType } from "../changes/schema.js";
import { kindOf } from "../definition/read-value.js";
import type { PipelinePlan, PlannedSource, PlannedTransform } from "../plan/pipeline-plan.js";
import type { ExpectedRow, PipelineTest } from "./pipeline-test.js";

type Node = PlannedSource | PlannedTransform;

/**
 * Reads the tests of a definition, and reports all mistakes in them.
 * @param tree the value of `tests`
 */
export function readTests(tree: TreeNode, plan: PipelinePlan, report: Report): readonly PipelineTest[] {
  if (tree.kind !== "array") {
    report.error("wrong-type", tree.at, `"tests" must be a list, not ${kindOf(tree)}`, {
      hint: "write a list of tests, each with name, given and expect",
    });
    return [];
  }
  return tree.items.flatMap((item) => readTest(item, plan, report) ?? []);
}

function readTest(item: TreeNode, plan: PipelinePlan, report: Report): PipelineTest | undefined {
  if (item.kind !== "object") {
    report.error("wrong-type", item.at, `a test must be a map, not ${kindOf(item)}`);
    return undefined;
  }
  for (const { key } of item.members) if (!parts.includes(key.value)) unknownPart(key, report);
  const name = member(item, "name")?.value;
  if (name?.kind !== "string") {
    report.error("missing-key", name?.at ?? item.at, 'a test requires "name"', {
      hint: "add name: what it shows",
    });
    return undefined;
  }
  const given = rowsByNode(item, "given", plan.sources, report).map(({ node, rows }) => ({
    source: node.name,
    rows: allRows(rows, node.schema.columns, report),
  }));
  const expected = rowsByNode(item, "expect", [...plan.sources, ...plan.transforms], report);
  return {
    name: name.value,
    at: name.at,
    given,
    expected: expected.map(({ node, rows }) => ({
      node,
      rows: rows.map((row) => expectedRow(row, node.schema.columns, report)),
    })),
  };
}

const parts: readonly string[] = ["name", "given", "expect"];

function unknownPart(key: LocatedString, report: Report): void {
  const [near] = suggest(key.value, parts);
  report.error("unknown-key", key.at, `a test has no setting ${quote(key.value)}`, {
    hint: near === undefined ? `its settings are ${parts.join(", ")}` : `write ${near}`,
  });
}

/** The rows that a part of a test lists for each node. */
function rowsByNode<N extends Node>(
  test: ObjectNode,
  part: "given" | "expect",
  nodes: readonly N[],
  report: Report,
): readonly { readonly node: N; readonly rows: readonly ObjectNode[] }[] {
  const found = member(test, part);
  if (found?.value.kind !== "object") {
    report.error("missing-key", found?.value.at ?? test.at, `a test requires ${quote(part)}`, {
      hint: `add ${part}: rows by the name of ${part === "given" ? "a source" : "a source or transform"}`,
    });
    return [];
  }
  return found.value.members.flatMap((entry) => {
    const node = nodes.find(({ name }) => name.toLowerCase() === entry.key.value.toLowerCase());
    if (!node) return unknownNode(entry.key, nodes, report);
    return { node, rows: listedRows(entry, report) };
  });
}

function unknownNode(key: LocatedString, nodes: readonly Node[], report: Report): readonly [] {
  const names = nodes.map(({ name }) => name);
  const [near] = suggest(key.value, names);
  report.error("unknown-node", key.at, `no such node has the name ${quote(key.value)}`, {
    hint: near === undefined ? `use one of ${names.join(", ")}` : `write ${near}`,
  });
  return [];
}

function listedRows({ key, value }: Member, report: Report): readonly ObjectNode[] {
  const items = value.kind === "array" ? value.items : undefined;
  const rows = items?.filter((item): item is ObjectNode => item.kind === "object");
  if (items && rows?.length === items.length) return rows;
  report.error("wrong-type", value.at, `${quote(key.value)} must be a list of rows, not ${kindOf(value)}`, {
    hint: "write each row as a map of columns; [] for none",
  });
  return [];
}

/** Given rows; columns that they do not name are null. */
function allRows(rows: readonly ObjectNode[], columns: readonly RowColumn[], report: Report): Rows {
  for (const row of rows) checkColumns(row, columns, report);
  return {
    count: rows.length,
    columns: columns.map((column) => rows.map((row) => valueAt(row, column, report))),
  };
}

function expectedRow(row: ObjectNode, columns: readonly RowColumn[], report: Report): ExpectedRow {
  const values = allRows([row], columns, report);
  const named = columns.flatMap(({ name }, index) => (member(row, name) ? [index] : []));
  return { columns: named, values };
}

function checkColumns(row: ObjectNode, columns: readonly RowColumn[], report: Report): void {
  const names = columns.map(({ name }) => name);
  for (const { key } of row.members) {
    if (names.includes(key.value)) continue;
    const [near] = suggest(key.value, names);
    report.error("unknown-column", key.at, `there is no column ${quote(key.value)}`, {
      hint: near === undefined ? `the columns are ${names.join(", ")}` : `write ${near}`,
    });
  }
}

function valueAt(row: ObjectNode, { name, type }: RowColumn, report: Report): RowValue {
  const node = member(row, name)?.value;
  if (node === undefined || node.kind === "null") return null;
  const value = valueOfType(node, type);
  if (value !== undefined) return value;
  report.error("wrong-type", node.at, `${quote(name)} must be ${expectedForm[type]}, not ${kindOf(node)}`);
  return null;
}

const text = "a string";
const integer = "a whole number";
const expectedForm: Readonly<Record<ValueType, string>> = {
  STRING: text,
  JSON: text,
  LONG: integer,
  TIMESTAMP: "a number of microseconds since 1970",
  DECIMAL: integer,
  NUMERIC: "a number",
  DOUBLE: "a number",
  BOOLEAN: "true or false",
  "ARRAY<STRING>": "a list of strings",
};

/** A value in the form that rows have in memory; `undefined` if it is of another type. */
function valueOfType(node: TreeNode, type: ValueType): RowValue | undefined {
  if (type === "ARRAY<STRING>") return node.kind === "array" ? textsOf(node.items) : undefined;
  if (type === "BOOLEAN") return node.kind === "boolean" ? node.value : undefined;
  const written = writtenText(node);
  if (written === undefined || type === "STRING" || type === "JSON") return written;
  const isInteger = /^-?\d+$/.test(written);
  if (type === "LONG" || type === "TIMESTAMP") return isInteger ? BigInt(written) : undefined;
  if (type === "DECIMAL") return isInteger ? String(BigInt(written)) : undefined;
  const isNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(written);
  if (!isNumber) return undefined;
  return type === "DOUBLE" ? Number(written) : written;
}

function textsOf(items: readonly TreeNode[]): readonly string[] | undefined {
  const texts = items.map(writtenText);
  return texts.every((one) => one !== undefined) ? texts : undefined;
}

/** The text as written, also for a number, since YAML would round a large one. */
function writtenText(node: TreeNode): string | undefined {
  if (node.kind === "string") return node.value;
  return node.kind === "number" ? node.at.source.text.slice(node.at.start, node.at.end) : undefined;
}
