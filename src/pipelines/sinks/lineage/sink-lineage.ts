import { isRecord, parseJson } from "../../../base/text/json-value.js";
import type { RowColumn } from "../../changes/schema.js";
import { type Lineage, lineageOf, type Plain, plainSettings } from "../../plan/lineage.js";
import type { PipelinePlan, PlannedSink } from "../../plan/pipeline-plan.js";
import { sinkTypeOf } from "../all-sinks.js";

/** The version of the saved form. Raise it with every change that would make equal lineages differ. */
const format = 1;

/** A node that leads to a sink. */
export interface LineageNode extends Omit<Lineage, "from"> {
  /** Places in the list of nodes. */
  readonly reads: readonly number[];
}

/** What the rows of a sink are computed from. Sinks keep it as JSON, beside their positions. */
export interface SinkLineage {
  readonly format: typeof format;
  readonly type: string;
  readonly columns: readonly RowColumn[];
  readonly key: readonly string[];
  /** Settings of the sink that determine what it holds. */
  readonly settings: Readonly<Record<string, Plain>>;
  /** The node whose rows it takes comes first. */
  readonly nodes: readonly LineageNode[];
}

/** What the rows of a sink are computed from. */
export function sinkLineage(plan: PipelinePlan, { from, schema, definition }: PlannedSink): SinkLineage {
  const nodes: LineageNode[] = [];
  const places = new Map<string, number>();
  const place = (lineage: Lineage): number => {
    const id = JSON.stringify([lineage.kind, lineage.name]);
    const known = places.get(id);
    if (known !== undefined) return known;
    const own = nodes.length;
    places.set(id, own);
    const { from: before, ...node } = lineage;
    nodes.push({ ...node, reads: [] });
    nodes[own] = { ...node, reads: before.map(place) };
    return own;
  };
  place(lineageOf(from, plan));
  const { type } = definition;
  const { shape } = sinkTypeOf(type);
  const settings = Object.entries(plainSettings(definition.settings, new Set())).filter(
    ([name, value]) => shape[name]?.decides && value !== shape[name]?.default,
  );
  const columns = schema.columns.map(({ name, type: of, nullable }) => ({ name, type: of, nullable }));
  return { format, type, columns, key: schema.key, settings: Object.fromEntries(settings), nodes };
}

/** Reads a saved lineage; `undefined` for another text. */
export function readLineage(text: string): SinkLineage | undefined {
  const read = parseJson(text);
  const isLineage =
    isRecord(read) && read.format === format && Array.isArray(read.columns) && Array.isArray(read.nodes);
  return isLineage ? (read as unknown as SinkLineage) : undefined;
}

/**
 * Whether two sinks hold the same rows. The names of transforms make no difference; those of sources do, since positions
 * are kept under them.
 */
export function isSameLineage(one: SinkLineage, other: SinkLineage): boolean {
  return bareText(one) === bareText(other);
}

function bareText({ type, columns, key, settings, nodes }: SinkLineage): string {
  const bare = nodes.map((node) => [node.kind === "source" ? node.name : "", contentOf(node), node.reads]);
  return JSON.stringify([type, columnsText(columns), key, sorted(settings), bare]);
}

/** What a node does, without its name and what it reads. */
export function contentOf({ kind, type, settings }: LineageNode): string {
  return JSON.stringify([kind, type, sorted(settings)]);
}

/** Equal for rows of the same form, whose saved state can be read. */
export function columnsText(columns: readonly RowColumn[]): string {
  return JSON.stringify(columns.map(({ name, type }) => [name, type]));
}

function sorted(settings: Readonly<Record<string, Plain>>): readonly unknown[] {
  return Object.entries(settings).sort(([one], [other]) => (one < other ? -1 : 1));
}
