import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString, Location } from "../../compiler/source/source.js";
import type { DefinedPipeline, SourceDefinition, TransformDefinition } from "../definition/definition.js";
import { refusingSink } from "./dead-letters.js";
import type { NamePlace, QueryReader, ReadQuery } from "./query-reader.js";

/** A transform, and what it reads. */
export interface ReadTransform {
  readonly definition: TransformDefinition;
  /** Names of sources and transforms, as the definition writes them. */
  readonly reads: readonly string[];
  /** Names of dynamic tables in which its query looks values up; none if absent. */
  readonly lookups?: readonly string[];
  /** Lookups of the definition that its query joins; none if absent. */
  readonly joins?: readonly string[];
  readonly query?: ReadQuery;
}

/** Transforms in order, and what they require of sources. */
export interface OrderedTransforms {
  readonly transforms: readonly ReadTransform[];
  /** Dynamic tables in which filters look values up, as spelled in the definition, by the name of the source. */
  readonly sourceLookups: ReadonlyMap<string, readonly string[]>;
}

/** A name where it is used. */
interface Use {
  readonly name: string;
  readonly at: Location;
}

/**
 * Orders transforms so that each comes after what it reads, and reports names that do not exist, cycles, and nodes
 * that lead to no sink. Transforms with errors are left out.
 * @param filters the dynamic tables in which filters of sources look values up, by the name of the source
 */
export async function orderTransforms(
  definition: DefinedPipeline,
  reader: QueryReader,
  filters: ReadonlyMap<string, readonly NamePlace[]>,
  report: Report,
): Promise<OrderedTransforms> {
  const { sources, transforms, sinks } = definition;
  const names = new Names([...sources, ...transforms], report);
  const read = new Map<string, ReadTransform>();
  for (const transform of transforms) {
    const found = await readTransform(transform, names, reader);
    if (found) read.set(transform.name.value, found);
  }
  const taken = sinks.flatMap((sink) => {
    const { from } = sink.settings;
    return from && refusingSink(sink, definition) === undefined ? (names.find(useOf(from)) ?? []) : [];
  });
  const checked = reader.lookups.flatMap((use) => names.findTable(use) ?? []);
  const used = [...checked, ...[...read.values()].flatMap(({ lookups = [] }) => lookups)];
  // What uses a node may be among the parts with errors.
  if (!report.failed) reportUnused(definition, read, [...taken, ...used], report);
  const looked = [...filters].map(([source, lookups]) => [source, names.tables(lookups)] as const);
  const sourceLookups = new Map(looked);
  return { transforms: inOrder(read, sourceLookups, report), sourceLookups };
}

async function readTransform(
  definition: TransformDefinition,
  names: Names,
  reader: QueryReader,
): Promise<ReadTransform | undefined> {
  if (definition.type === "handler" || definition.type === "script") {
    const { from } = definition.settings;
    const name = from && names.find(useOf(from));
    return name === undefined ? undefined : { definition, reads: [name] };
  }
  const { sql } = definition.settings;
  if (!sql) return definition.type === "dynamic_table" ? { definition, reads: [] } : undefined;
  const query = await reader.read(sql);
  if (!query) return undefined;
  const reads = query.reads.map((use) => names.find(use));
  const known = reads.filter((name) => name !== undefined);
  if (known.length < reads.length) return undefined;
  const joined = names.tables(query.joins.map((name) => ({ name, at: sql.at })));
  return {
    definition,
    reads: [...new Set(known)],
    lookups: [...new Set([...names.tables(query.lookups), ...joined])],
    joins: query.joins.filter((name) => !joined.includes(name)),
    query,
  };
}

function useOf({ value, at }: LocatedString): Use {
  return { name: value, at };
}

/** Names of nodes; SQL does not distinguish case. */
class Names {
  /** Nodes that have rows. */
  readonly #byName: ReadonlyMap<string, string>;
  /** Dynamic tables. */
  readonly #tables: ReadonlyMap<string, string>;
  readonly #report: Report;

  constructor(nodes: readonly (SourceDefinition | TransformDefinition)[], report: Report) {
    const isTable = ({ type }: SourceDefinition | TransformDefinition): boolean => type === "dynamic_table";
    this.#byName = byName(nodes.filter((node) => !isTable(node)));
    this.#tables = byName(nodes.filter(isTable));
    this.#report = report;
  }

  /** A dynamic table's name as spelled in its key; `undefined` after a reported error. */
  findTable({ name, at }: Use): string | undefined {
    const found = this.#tables.get(name.toLowerCase());
    if (found !== undefined) return found;
    const known = [...this.#tables.values()];
    const [near] = suggest(name, known);
    const others =
      known.length > 0 ? `there are ${known.join(", ")}` : "add a transform of type dynamic_table";
    this.#report.error("unknown-node", at, `there is no dynamic table ${quote(name)}`, {
      hint: near === undefined ? others : `write ${near}`,
    });
    return undefined;
  }

  /** Dynamic tables that exist, as their keys have them. */
  tables(uses: readonly Use[]): readonly string[] {
    return [...new Set(uses.flatMap(({ name }) => this.#tables.get(name.toLowerCase()) ?? []))];
  }

  /** A node's name as spelled in its key; `undefined` after a reported error. */
  find({ name, at }: Use): string | undefined {
    const found = this.#byName.get(name.toLowerCase());
    if (found !== undefined) return found;
    const table = this.#tables.get(name.toLowerCase());
    if (table !== undefined) {
      this.#report.error(
        "unknown-node",
        at,
        `${quote(table)} is a dynamic table, whose rows cannot be read`,
        {
          hint: `look values up with dynamic_table_check('${table}', value), or give it a primary_key and join it`,
        },
      );
      return undefined;
    }
    const known = [...this.#byName.values()];
    const [near] = suggest(name, known);
    this.#report.error("unknown-node", at, `there is no source or transform ${quote(name)}`, {
      hint: near === undefined ? otherNames(known) : `write ${near}`,
    });
    return undefined;
  }
}

/** Names as spelled in their keys, by the name in lower case. */
function byName(nodes: readonly { readonly name: LocatedString }[]): ReadonlyMap<string, string> {
  return new Map(nodes.map(({ name }) => [name.value.toLowerCase(), name.value]));
}

function reportUnused(
  { sources, transforms, lookups = [] }: DefinedPipeline,
  read: ReadonlyMap<string, ReadTransform>,
  taken: readonly string[],
  report: Report,
): void {
  const used = new Set<string>();
  const visit = (name: string): void => {
    if (used.has(name)) return;
    used.add(name);
    for (const next of read.get(name)?.reads ?? []) visit(next);
  };
  for (const name of taken) visit(name);
  const isTable = ({ type }: TransformDefinition): boolean => type === "dynamic_table";
  for (const [what, nodes] of [
    ["source", sources],
    ["transform", transforms.filter((node) => !isTable(node))],
  ] as const)
    for (const { name } of nodes)
      if (!used.has(name.value))
        report.error("unused-node", name.at, `no sink gets the rows of ${what} ${quote(name.value)}`, {
          hint: "let a transform or a sink read it, or remove it",
        });
  const joined = new Set([...read.values()].flatMap(({ joins = [] }) => joins));
  for (const { name } of lookups)
    if (!joined.has(name.value))
      report.error("unused-node", name.at, `no query joins lookup ${quote(name.value)}`, {
        hint: `write LEFT JOIN ${name.value} ON … in a query, or remove it`,
      });
  for (const { name } of transforms.filter(isTable))
    if (!used.has(name.value))
      report.error("unused-node", name.at, `no query looks values up in dynamic table ${quote(name.value)}`, {
        hint: `call dynamic_table_check('${name.value}', value) in a query, or remove it`,
      });
}

/** Depth first; a circle is reported once, and none of it is returned. */
function inOrder(
  read: ReadonlyMap<string, ReadTransform>,
  sourceLookups: ReadonlyMap<string, readonly string[]>,
  report: Report,
): readonly ReadTransform[] {
  const order: ReadTransform[] = [];
  const states = new Map<string, "open" | "done" | "failed">();
  const visit = (name: string, path: readonly string[]): boolean => {
    const transform = read.get(name);
    const state = states.get(name);
    const before = [
      ...(transform?.reads ?? []),
      ...(transform?.lookups ?? []),
      ...(sourceLookups.get(name) ?? []),
    ];
    if (before.length === 0 && !transform) return true;
    if (state === "done") return true;
    if (state === "failed") return false;
    if (state === "open") {
      const circle = [...path.slice(path.indexOf(name)), name];
      report.error(
        "node-cycle",
        circle.map((one) => read.get(one)).find(Boolean)?.definition.name.at,
        `transforms read each other: ${circle.join(" reads ")}`,
        {
          hint: "let one of them read a source",
        },
      );
      return false;
    }
    states.set(name, "open");
    const isSound = before.map((next) => visit(next, [...path, name])).every(Boolean);
    states.set(name, isSound ? "done" : "failed");
    if (isSound && transform) order.push(transform);
    return isSound;
  };
  for (const name of read.keys()) visit(name, []);
  return order;
}

function otherNames(known: readonly string[]): string {
  return known.length > 0 ? `there are ${known.join(", ")}` : "add a source";
}
