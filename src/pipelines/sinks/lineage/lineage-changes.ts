import type { Plain } from "../../plan/lineage.js";
import { sinkTypeOf } from "../all-sinks.js";
import { contentOf, isSameLineage, type LineageNode, type SinkLineage } from "./sink-lineage.js";

/** A difference in how the rows of a sink are computed. */
export interface LineageChange {
  /** What has changed, as a part of a sentence: `the query of large`. */
  readonly text: string;
  /** Whether the sink cannot continue at its position. */
  readonly bars: boolean;
  /** Whether a table that was made for the rows of before does not take those of now. */
  readonly needsTable?: boolean;
}

/** How a lineage differs from one before; empty if the rows are the same. */
export function lineageChanges(before: SinkLineage, after: SinkLineage): readonly LineageChange[] {
  if (isSameLineage(before, after)) return [];
  if (before.type !== after.type)
    return [{ text: `the type of the sink, which was ${before.type}`, bars: true }];
  const { shape } = sinkTypeOf(after.type);
  const decides = (name: string, what: "form" | "reading"): boolean =>
    shape[name]?.decides?.includes(what) ?? false;
  const changes = [
    ...columnChanges(before, after),
    ...keyChange(before, after),
    ...settingNames(before.settings, after.settings).map((name) => ({
      text: `its ${name}`,
      bars: decides(name, "reading"),
      needsTable: decides(name, "form"),
    })),
    ...nodeChanges(before, after),
  ];
  return changes.length > 0 ? changes : [{ text: "the order of its columns", bars: false }];
}

function columnChanges(
  { columns: before }: SinkLineage,
  { columns: after, type: sink }: SinkLineage,
): readonly LineageChange[] {
  const bars = sinkTypeOf(sink).hasFixedColumns === true;
  const had = new Map(before.map(({ name, type }) => [name, type]));
  const has = new Set(after.map(({ name }) => name));
  const added = after.filter(({ name }) => !had.has(name)).map(({ name, type }) => `${name} ${type}`);
  const removed = before.filter(({ name }) => !has.has(name)).map(({ name }) => name);
  const retyped = after.flatMap(({ name, type }) => {
    const then = had.get(name);
    return then === undefined || then === type ? [] : [`${name} from ${then} to ${type}`];
  });
  return [
    ...(added.length > 0 ? [{ text: `columns added (${added.join(", ")})`, bars }] : []),
    ...(removed.length > 0 ? [{ text: `columns removed (${removed.join(", ")})`, bars }] : []),
    ...(retyped.length > 0
      ? [{ text: `types of columns (${retyped.join(", ")})`, bars, needsTable: true }]
      : []),
  ];
}

function keyChange(
  { key: before }: SinkLineage,
  { key: after, type }: SinkLineage,
): readonly LineageChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const text = `its key (${keyText(after)}, before ${keyText(before)})`;
  const { place } = sinkTypeOf(type);
  // Rows with one key have no place in a table beside rows with another.
  return [{ text, bars: place === "table" || place === "versions", needsTable: true }];
}

function keyText(key: readonly string[]): string {
  return key.length === 0 ? "none" : key.join(", ");
}

/** A node of now with the one that it was before. */
type Pair = readonly [now: LineageNode, then: LineageNode];

function nodeChanges(
  { nodes: before }: SinkLineage,
  { nodes: after }: SinkLineage,
): readonly LineageChange[] {
  const pairs = pairNodes(before, after);
  const thenOf = new Map(pairs);
  const nowOf = new Map(pairs.map(([now, then]) => [then, now]));
  const changes = pairs.flatMap(([now, then]) => changesOf(now, then));
  for (const node of after) if (!thenOf.has(node)) changes.push(soft(`${titleOf(node)}, which is new`));
  for (const node of before)
    if (!nowOf.has(node)) changes.push(soft(`${titleOf(node)}, which is not read any more`));
  for (const [now, then] of pairs) {
    const reads = now.reads.map((place) => after[place]);
    const had = then.reads.map((place) => nowOf.get(before[place] as LineageNode));
    // New and missing nodes are already in the list.
    if (JSON.stringify(reads.map(nameOf)) !== JSON.stringify(had.map(nameOf)) && !had.includes(undefined))
      changes.push(soft(`what ${now.name} reads`));
  }
  const [root, rootBefore] = [after[0], before[0]];
  if (root && rootBefore && nowOf.get(rootBefore) !== root && changes.length === 0)
    changes.push(soft(`what it takes (the rows of ${root.name}, before ${rootBefore.name})`));
  return changes;
}

/** Nodes with the same name are the same; others if they do the same. */
function pairNodes(before: readonly LineageNode[], after: readonly LineageNode[]): readonly Pair[] {
  const free = new Set(before);
  const take = (node: LineageNode, fits: (then: LineageNode) => boolean): readonly Pair[] => {
    const then = [...free].find((one) => one.kind === node.kind && fits(one));
    if (!then) return [];
    free.delete(then);
    return [[node, then]];
  };
  const named = after.flatMap((node) => take(node, ({ name }) => name === node.name));
  const found = new Set(named.map(([now]) => now));
  const alike = after
    .filter((node) => !found.has(node))
    .flatMap((node) => take(node, (then) => contentOf(then) === contentOf(node)));
  return [...named, ...alike];
}

function changesOf(now: LineageNode, then: LineageNode): LineageChange[] {
  const { kind, name, type, settings } = now;
  if (kind === "source" && name !== then.name)
    return [{ text: `the name of source ${name}, which was ${then.name}`, bars: true }];
  if (type !== then.type)
    return [{ text: `the type of ${name} (${type}, before ${then.type})`, bars: kind === "source" }];
  return settingNames(then.settings, settings).map((setting) => {
    const text = textOf(now, setting, then.settings[setting]);
    return { text, bars: kind === "source" && places.has(setting) };
  });
}

/** Settings of a source that say what it reads: positions in one dataset mean nothing in another. */
const places: ReadonlySet<string> = new Set(["dataset_name", "version", "name", "subgraphs"]);

function textOf({ kind, name, settings }: LineageNode, setting: string, before: Plain | undefined): string {
  const values = `${shown(settings[setting])}, before ${shown(before)}`;
  switch (setting) {
    case "sql":
      return `the query of ${name}`;
    case "filter":
      return `the filter of source ${name}`;
    case "script":
      return `the script of ${name}`;
    case "start_at":
      return `the start of source ${name} (${values})`;
    case "dataset_name":
    case "version":
      return `the dataset of source ${name} (${setting}: ${values})`;
    case "name":
    case "subgraphs":
      if (kind === "source") return `the entity of source ${name}`;
      return `${setting} of ${name}`;
    case "primary_key":
      return `the key of ${name} (${values})`;
    case "url":
      return `the address of handler ${name}`;
    default:
      return `${setting} of ${name}`;
  }
}

function shown(value: Plain | undefined): string {
  if (value === undefined) return "the default";
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function settingNames(
  before: Readonly<Record<string, Plain>>,
  after: Readonly<Record<string, Plain>>,
): readonly string[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort();
}

function titleOf({ kind, name }: LineageNode): string {
  return `${kind} ${name}`;
}

function nameOf(node: LineageNode | undefined): string | undefined {
  return node?.name;
}

function soft(text: string): LineageChange {
  return { text, bars: false };
}
