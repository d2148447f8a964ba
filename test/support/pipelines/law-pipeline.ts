import { noRows } from "../../../src/pipelines/changes/rows.js";
import type { SinkDefinition } from "../../../src/pipelines/definition/definition.js";
import { openDuckDb } from "../../../src/pipelines/machine/duckdb/open-duckdb.js";
import type {
  PipelinePlan,
  PlannedAggregation,
  PlannedLookup,
  PlannedSink,
  PlannedSource,
} from "../../../src/pipelines/plan/pipeline-plan.js";
import type { ProgramWorld } from "../../../src/pipelines/runner/program.js";
import { sinkTypeOf } from "../../../src/pipelines/sinks/all-sinks.js";
import type { SinkOwner } from "../../../src/pipelines/sinks/opening.js";
import type { Source } from "../../../src/pipelines/sources/source.js";
import { ListedRows } from "../../../src/pipelines/sql/create-lookups.js";
import type { SqlEngine } from "../../../src/pipelines/sql/engine.js";
import { CachedRows, type LookedUpTable } from "../../../src/pipelines/transforms/row-lookup/cached-rows.js";
import type { Played } from "./law/schedule.js";
import { located, locatedText } from "./located.js";
import { feedColumns, feedSource, type PlayedFeed } from "./played-feed.js";
import {
  finalBlocks,
  finalSource,
  type PlayedChain,
  playedColumns,
  playedSource,
  rowsOfBlocks,
} from "./played-source.js";

export const text = locatedText;

/** A row of the query, its values as text. */
export interface LawRow {
  readonly id: string;
  readonly who: string;
  readonly amount: string | null;
  readonly block_number: string;
}

/** A flow from a chain and a feed through the query into one sink. */
export interface LawPipeline {
  readonly plan: PipelinePlan;
  readonly sink: PlannedSink;
  readonly owner: SinkOwner;
}

/** The sink of a flow, as JSON can hold it. */
export interface LawDefinition {
  readonly type: string;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** For a table of aggregates. */
  readonly aggregation?: PlannedAggregation;
  /** Whether names come from a database that answers differently each time, instead of a file. */
  readonly isChanging?: boolean;
}

/** A lookup, as a file would have it. It lacks a person. */
const people: PlannedLookup = {
  name: "people",
  definition: {
    type: "file",
    name: text("people"),
    settings: {},
    content: { columns: [], rows: noRows(0), hash: "of people" },
  },
  key: ["who"],
  columns: ["who", "name"].map((name) => ({ name, type: "STRING", nullable: true })),
  rows: {
    count: 2,
    columns: [
      ["a", "b"],
      ["A", "B"],
    ],
  },
};

/** The same as a table in a database. */
const changingPeople: PlannedLookup = {
  ...people,
  definition: {
    type: "postgres",
    name: text("people"),
    settings: { secret_name: text("PEOPLE"), table: text("people") },
  },
  rows: undefined,
};

/** The world of a flow whose people have another name each time they are looked up: the first one, and a number. */
export function changingWorld(firstNumber: number, onRead: () => void = () => undefined): ProgramWorld {
  let [number, time] = [firstNumber, 0];
  const table: LookedUpTable = {
    read: async (keys) => {
      onRead();
      number += 1;
      const found = keys.flatMap(([who = ""]) => (who === "a" || who === "b" ? [who] : []));
      return found.map((who) => [who, `${who.toUpperCase()}#${number}`]);
    },
    close: async () => undefined,
  };
  const clock = { now: () => (time += 1) };
  return {
    ...onlySql,
    openLookup: async (planned) =>
      new CachedRows({ planned, table, hasHistory: false, ttl: 0, most: 10, clock }),
  };
}

/** A row of the law with the names that people had first, and without them in its key. */
export function firstNamed({ id, who, ...row }: LawRow): LawRow {
  return { id: id.replace(/ [A-Z]+(?:#\d+)?$/, ""), who: who.replace(/#\d+$/, ""), ...row };
}

/**
 * Filters, computes the key, lets rows move between the branches of a union, and looks values up: a part of the key by
 * an integer in a list, and names in a file.
 */
const ofChain = `
  SELECT k.kind || id AS id, who, amount, block_number FROM played
  JOIN (VALUES (0, 'small '), (1, 'other ')) AS k(n, kind) ON k.n = CASE WHEN amount < 500 THEN 0 END
  WHERE who <> 'c'
  UNION ALL
  SELECT 'large ' || id, coalesce(people.name, upper(played.who)), amount - 1, block_number FROM played
  LEFT JOIN people ON people.who = played.who
  WHERE amount >= 500
  UNION ALL
  SELECT 'none ' || id, who, amount, block_number FROM played WHERE amount IS NULL`;
const ofFeed = `
  SELECT owner || ':' || id, f.name, amount, version FROM things
  LEFT JOIN (VALUES ('x', 'few')) AS f(k, name) ON f.k = 'x'
  WHERE amount < 400 OR amount IS NULL
  UNION ALL
  SELECT owner || ':' || id, 'many', amount, version FROM things WHERE amount >= 600`;

/** Opens the engine that queries of tests run in. */
export const openEngine = (): Promise<SqlEngine> => openDuckDb({ memory: 1_024, time: 30_000 });

/** What the program of the flow is made with: it has no transforms but SQL. */
export const onlySql: ProgramWorld = {
  openEngine,
  openTransform: async ({ name }) => {
    throw new Error(`${name} is no SQL`);
  },
  openTable: async ({ name }) => {
    throw new Error(`there is no table ${name}`);
  },
  openLookup: async ({ name }) => {
    throw new Error(`there is no database for ${name}`);
  },
};

/**
 * Plans the flow. A sink that only adds rows has those of final blocks, and none of the feed, as the validator insists.
 * @param definition of its sink, which is called `out`
 */
export async function lawPipeline(
  definition: LawDefinition = { type: "blackhole", settings: {} },
): Promise<LawPipeline> {
  const isAdding = sinkTypeOf(definition.type).place === "files";
  const lookup = definition.isChanging ? changingPeople : people;
  // Then the key contains the name, so that only the row that was written can be deleted.
  const chosen = definition.isChanging
    ? ofChain.replace("'large ' || id", "'large ' || id || ' ' || coalesce(people.name, upper(played.who))")
    : ofChain;
  const query = isAdding ? chosen : `${chosen} UNION ALL ${ofFeed}`;
  const engine = await openEngine();
  await engine.createTable("played", playedColumns);
  await engine.createTable("things", feedColumns);
  await new ListedRows([lookup]).create(engine, [lookup.name]);
  const columns = await engine.createView("chosen", query);
  engine.close();
  const schema = { columns, key: ["id"] };
  const source = (name: string, of: typeof playedColumns): PlannedSource => ({
    name,
    definition: { type: "dataset", name: text(name), settings: {} },
    schema: { columns: of, key: ["id"] },
  });
  const sources = [source("played", playedColumns), ...(isAdding ? [] : [source("things", feedColumns)])];
  const reads = sources.map(({ name }) => name);
  const sink: PlannedSink = {
    name: "out",
    definition: sinkDefinition(definition),
    from: "chosen",
    schema,
    ...(definition.aggregation && { aggregation: definition.aggregation }),
  };
  const plan: PipelinePlan = {
    name: "law",
    job: false,
    sources,
    transforms: [
      {
        name: "chosen",
        definition: { type: "sql", name: text("chosen"), settings: { sql: text(query) } },
        reads,
        joins: [lookup.name],
        schema,
      },
    ],
    lookups: [lookup],
    sinks: [sink],
    operations: [],
    functions: [],
  };
  return { plan, sink, owner: { flow: plan.name, sources: reads } };
}

/** The definition of the sink as it is read from YAML. */
export function sinkDefinition({ type, settings }: LawDefinition): SinkDefinition {
  const values = Object.entries(settings).map(([name, value]) => [
    name,
    typeof value !== "string" ? located(value) : name === "partition_columns" ? [text(value)] : text(value),
  ]);
  const definition: unknown = { type, name: text("out"), settings: Object.fromEntries(values) };
  return definition as SinkDefinition;
}

/** Opens the sources of the flow by name. */
export function lawSources({ sink }: LawPipeline, { chain, feed }: Played): (name: string) => Source {
  const isAdding = sinkTypeOf(sink.definition.type).place === "files";
  return (name) => {
    if (name !== "played") return feedSource(feed);
    return isAdding ? finalSource(chain) : playedSource(chain);
  };
}

/** What the query makes of all that is in the sources, computed here. @param isFinal for a sink that only adds rows */
export function expectedRows(chain: PlayedChain, feed: PlayedFeed, isFinal = false): readonly LawRow[] {
  const blocks = isFinal ? finalBlocks(chain) : chain.blocks;
  const played = rowsOfBlocks(blocks).flatMap(({ id, who, amount, block_number: block }) => {
    const row = (kind: string, person: unknown, value: string | null): LawRow => ({
      id: `${kind} ${String(id)}`,
      who: String(person),
      amount: value,
      block_number: String(block),
    });
    if (amount === null) return [row("none", who, null)];
    const value = BigInt(String(amount));
    if (value >= 500n) return [row("large", String(who).toUpperCase(), String(value - 1n))];
    return who === "c" ? [] : [row("small", who, String(value))];
  });
  if (isFinal) return played;
  const things = feed.things.flatMap(([id, owner, amount, version]) => {
    const who = amount === null || Number(amount) < 400 ? "few" : "many";
    if (who === "many" && Number(amount) < 600) return [];
    return [{ id: `${owner}:${id}`, who, amount, block_number: String(version) }];
  });
  return [...played, ...things];
}
