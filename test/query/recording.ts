import type { QueryDeployment } from "../../src/query/deployment.js";
import { createQueryEngine, type QueryEngine } from "../../src/query/engine.js";
import type { QueryLimits } from "../../src/query/limits.js";
import type { Database, Row, Sql } from "../../src/store/database/database.js";
import { layOut } from "../../src/store/tables/lay-out.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";

/** A statement as it was sent. */
export interface Sent {
  readonly statement: string;
  readonly parameters: readonly (string | null)[];
}

/** An engine over a fake database that records the statements it gets. */
export interface Recording {
  readonly engine: QueryEngine;
  readonly sent: Sent[];
  /** The database's next results. */
  readonly rows: (readonly Row[])[];
  /** The clock's current time. */
  readonly clock: { now: number };
  /** Milliseconds on that clock until a transaction starts, and for each statement. */
  readonly takes: { turn: number; statement: number };
}

/** Creates an engine for a schema, with block 20 as the head. */
export function recordingEngine(
  schema: string,
  limits: Partial<QueryLimits> = {},
  changed: Partial<QueryDeployment> = {},
): Recording {
  const sent: Sent[] = [];
  const rows: (readonly Row[])[] = [];
  const clock = { now: 0 };
  const takes = { turn: 0, statement: 0 };
  const sql: Sql = {
    query: async (statement, parameters = []) => {
      sent.push({ statement, parameters });
      clock.now += takes.statement;
      return rows.shift() ?? [];
    },
    run: async (statement) => void sent.push({ statement, parameters: [] }),
  };
  const database: Database = {
    ...sql,
    provider: "postgres",
    transaction: (work) => {
      clock.now += takes.turn;
      return work(sql);
    },
    listen: async () => async () => undefined,
    close: async () => undefined,
  };
  const head = { number: 20, hash: `0x${"20".repeat(32)}`, timestamp: 1_700_000_000 };
  const deployment: QueryDeployment = {
    id: "QmRecorded",
    schema,
    layout: layOut(readEntitySchema(schema), "sgd7"),
    state: async () => ({ head, earliestBlock: 0 }),
    blockOfHash: async () => undefined,
    ...changed,
  };
  const engine = createQueryEngine({ database, deployment, world: { now: () => clock.now }, limits });
  return { engine, sent, rows, clock, takes };
}

/** The error messages of an answer, empty if it has no errors. */
export async function messages(
  { engine }: Recording,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<readonly string[]> {
  const { errors = [] } = await engine.execute({ query, variables });
  return errors.map(({ message }) => message);
}
