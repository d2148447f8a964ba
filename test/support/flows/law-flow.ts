import { locatedString } from "../../../src/compiler/source/located-string.js";
import type { LocatedString } from "../../../src/compiler/source/source.js";
import type { FlowPlan, PlannedSink, PlannedSource } from "../../../src/flows/plan/flow-plan.js";
import type { ProgramWorld } from "../../../src/flows/runner/program.js";
import type { SinkOwner } from "../../../src/flows/sinks/opening.js";
import type { SqlEngine } from "../../../src/flows/sql/engine.js";
import { openDuckDb } from "../../../src/node/duckdb/open-duckdb.js";
import { feedColumns, type PlayedFeed } from "./played-feed.js";
import { type PlayedChain, playedColumns } from "./played-source.js";

/** A row of the query, its values as text. */
export interface LawRow {
  readonly id: string;
  readonly who: string;
  readonly amount: string | null;
  readonly block_number: string;
}

/** A flow from a chain and a feed through the query into one sink. */
export interface LawFlow {
  readonly plan: FlowPlan;
  readonly sink: PlannedSink;
  readonly owner: SinkOwner;
}

/** Filters, computes the key, and lets rows move between the branches of a union. */
const query = `
  SELECT 'small ' || id AS id, who, amount, block_number FROM played WHERE amount < 500 AND who <> 'c'
  UNION ALL
  SELECT 'large ' || id, upper(who), amount - 1, block_number FROM played WHERE amount >= 500
  UNION ALL
  SELECT 'none ' || id, who, amount, block_number FROM played WHERE amount IS NULL
  UNION ALL
  SELECT owner || ':' || id, 'few', amount, version FROM things WHERE amount < 400 OR amount IS NULL
  UNION ALL
  SELECT owner || ':' || id, 'many', amount, version FROM things WHERE amount >= 600`;

/** Opens the engine that queries of tests run in. */
export const openEngine = (): Promise<SqlEngine> => openDuckDb({ memory: 256, time: 30_000 });

/** What the program of the flow is made with: it has no transforms but SQL. */
export const onlySql: ProgramWorld = {
  openEngine,
  openTransform: async ({ name }) => {
    throw new Error(`${name} is no SQL`);
  },
  openTable: async ({ name }) => {
    throw new Error(`there is no table ${name}`);
  },
};

/** Plans the flow. Its sink is called `out`; give it the definition that its type requires. */
export async function lawFlow(): Promise<LawFlow> {
  const engine = await openEngine();
  await engine.createTable("played", playedColumns);
  await engine.createTable("things", feedColumns);
  const columns = await engine.createView("chosen", query);
  engine.close();
  const schema = { columns, key: ["id"] };
  const source = (name: string, of: typeof playedColumns): PlannedSource => ({
    name,
    definition: { type: "dataset", name: text(name), settings: {} },
    schema: { columns: of, key: ["id"] },
  });
  const sink: PlannedSink = {
    name: "out",
    definition: { type: "blackhole", name: text("out"), settings: {} },
    from: "chosen",
    schema,
  };
  const plan: FlowPlan = {
    name: "law",
    job: false,
    sources: [source("played", playedColumns), source("things", feedColumns)],
    transforms: [
      {
        name: "chosen",
        definition: { type: "sql", name: text("chosen"), settings: { sql: text(query) } },
        reads: ["played", "things"],
        schema,
      },
    ],
    sinks: [sink],
    operations: [],
    functions: [],
  };
  return { plan, sink, owner: { flow: plan.name, sources: ["played", "things"] } };
}

/** What the query makes of all that is in the sources, computed here. */
export function expectedRows(chain: PlayedChain, feed: PlayedFeed): readonly LawRow[] {
  const played = chain.rows.flatMap(({ id, who, amount, block_number: block }) => {
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
  const things = feed.things.flatMap(([id, owner, amount, version]) => {
    const who = amount === null || Number(amount) < 400 ? "few" : "many";
    if (who === "many" && Number(amount) < 600) return [];
    return [{ id: `${owner}:${id}`, who, amount, block_number: String(version) }];
  });
  return [...played, ...things];
}

export function text(value: string): LocatedString {
  const source = { path: "flow.yaml", text: value };
  return locatedString(value, { source, pointer: "", start: 0, end: value.length }, 0);
}
