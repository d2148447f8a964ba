import type { TreeNode } from "../../compiler/source/tree.js";
import type { SettingValue } from "../definition/settings.js";
import type { Shape } from "../definition/shape.js";
import { lookupShapes, sourceShapes, transformShapes } from "../definition/shapes.js";
import { anonymousQuery } from "../sql/anonymous-query.js";
import type { PipelinePlan, PlannedSource, PlannedTransform } from "./pipeline-plan.js";

/** A value that JSON has. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [name: string]: Plain };

/** Everything that determines the rows of a node. The names of nodes do not. */
export interface Lineage {
  /** The name of the node, for people. */
  readonly name: string;
  readonly kind: "source" | "transform" | "table";
  readonly type: string;
  /** Settings by name. */
  readonly settings: Readonly<Record<string, Plain>>;
  /** The node that it reads, and after that the tables in which it looks values up. */
  readonly from: readonly Lineage[];
}

/**
 * Settings that do not determine rows: descriptions, secrets, and batching. A source's last block only limits how far
 * it is read. `on_error` concerns only messages that have no rows.
 */
const irrelevant: ReadonlySet<string> = new Set([
  "description",
  "display_name",
  "from",
  "secret_name",
  "headers",
  "end_block",
  "on_error",
  "batch_size",
  "batch_flush_interval",
  "timeout_ms",
  "one_row_per_request",
  "cache_refresh_debounce_ms",
  "cache_ttl",
  "cache_rows",
]);

/**
 * Everything that determines the rows of a source, a transform or a dynamic table. @throws Error if there is no node
 * with this name
 */
export function lineageOf(name: string, plan: PipelinePlan): Lineage {
  const table = plan.tables?.find((one) => one.name === name);
  if (table) {
    const { type, settings } = table.definition;
    const from = table.fill ? [queryLineage(table.fill.query, plan)] : [];
    const plain = plainSettings(settings, new Set([...irrelevant, "sql"]));
    return { name, kind: "table", type, settings: withoutDefaults(plain, transformShapes[type]), from };
  }
  const lookup = plan.lookups?.find((one) => one.name === name);
  if (lookup) {
    const { type, content, settings: written } = lookup.definition;
    // Only a file's rows are in the definition.
    const settings = content
      ? { key: lookup.key, content: content.hash }
      : withoutDefaults({ ...plainSettings(written, irrelevant), key: lookup.key }, lookupShapes[type]);
    return { name, kind: "table", type, settings, from: [] };
  }
  const node = [...plan.sources, ...plan.transforms].find((one) => one.name === name);
  if (!node) throw new Error(`there is no node ${name}`);
  return queryLineage(node, plan);
}

function queryLineage(node: PlannedSource | PlannedTransform, plan: PipelinePlan): Lineage {
  const { type, settings } = node.definition;
  const own = "reads" in node ? [...node.reads, ...(node.joins ?? [])] : [];
  const reads = [...own, ...(node.lookups ?? [])];
  const signs = new Map(reads.map((read, index) => [read, `@${index + 1}`]));
  const { kind, shape } =
    type === "dataset" || type === "subgraph_entity" || type === "kafka"
      ? ({ kind: "source", shape: sourceShapes[type] } as const)
      : ({ kind: "transform", shape: transformShapes[type] } as const);
  const plain = withoutDefaults(plainSettings(settings, irrelevant), shape);
  const queries = Object.entries(plain).flatMap(([key, value]) =>
    (key === "sql" || key === "filter") && typeof value === "string"
      ? [[key, anonymousQuery(value, signs)]]
      : [],
  );
  return {
    name: node.name,
    kind,
    type,
    settings: { ...plain, ...Object.fromEntries(queries), ...withoutSecrets(plain) },
    from: reads.map((read) => lineageOf(read, plan)),
  };
}

/** A setting with its default value counts as missing. */
function withoutDefaults(
  settings: Readonly<Record<string, Plain>>,
  shape: Shape,
): Readonly<Record<string, Plain>> {
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== shape[name]?.default),
  );
}

/** An address without possible keys: a new key does not make a new place. */
function withoutSecrets({ url }: Readonly<Record<string, Plain>>): Readonly<Record<string, Plain>> {
  if (typeof url !== "string" || !URL.canParse(url)) return {};
  const { origin, pathname } = new URL(url);
  return { url: `${origin}${pathname}` };
}

/**
 * The text of a lineage without the names of its nodes: equal for nodes whose rows are determined in the same way.
 */
export function lineageText({ type, settings, from }: Lineage): string {
  const sorted = Object.entries(settings).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([type, sorted, from.map(lineageText)]);
}

/**
 * Settings by name, as JSON values.
 * @param without names to leave out
 */
export function plainSettings(
  settings: Readonly<Record<string, SettingValue | undefined>>,
  without: ReadonlySet<string>,
): Readonly<Record<string, Plain>> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      value === undefined || without.has(name) ? [] : [[name, plainValue(value)]],
    ),
  );
}

function plainValue(value: SettingValue): Plain {
  if ("kind" in value) return plainTree(value);
  if ("value" in value) return value.value;
  return value.map((item) => ("name" in item ? [item.name.value, item.value.value] : item.value));
}

function plainTree(tree: TreeNode): Plain {
  switch (tree.kind) {
    case "object":
      return Object.fromEntries(tree.members.map(({ key, value }) => [key.value, plainTree(value)]));
    case "array":
      return tree.items.map(plainTree);
    case "null":
      return null;
    default:
      return tree.value;
  }
}
