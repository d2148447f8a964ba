import { createHash } from "node:crypto";
import { readHolderNote, thisProcess } from "../../../base/lock-holder.js";
import { parseJson } from "../../../base/text/json-value.js";
import { cell } from "../../../store/database/columns.js";
import { type Database, SQL, type Sql } from "../../../store/database/database.js";
import { arrayText } from "../../../store/database/sql-array.js";
import { holderPart } from "../../state/other-run.js";
import type { StateOwner } from "../../state/state-store.js";

/** A state, and the writer that has taken it. */
export interface StateClaim {
  /** The number of the state. */
  readonly state: string;
  /** A UUID. */
  readonly writer: string;
}

/**
 * Gives a state to a writer. The previous writer loses it.
 * @returns its number @throws DatabaseError
 */
export async function claimState(
  sql: Sql,
  { flow, sink, target }: Pick<StateOwner, "flow" | "sink" | "target">,
  writer: string,
): Promise<string> {
  const [row] = await sql.query(
    SQL`insert into graphloom.pipeline_states (flow, sink, target, writer, process, since)
      values ($1::text, $2::text, $3::text, $4::uuid, $5::text, now())
      on conflict (flow, sink, target) do update
        set writer = excluded.writer, process = excluded.process, since = excluded.since returning id`,
    [flow, sink, hashOf(target), writer, JSON.stringify(thisProcess())],
  );
  return cell(row ?? {}, "id");
}

/** The number of a state; `undefined` if there is none. @throws DatabaseError */
export async function findState(
  sql: Sql,
  { flow, sink, target }: Pick<StateOwner, "flow" | "sink" | "target">,
): Promise<string | undefined> {
  const [row] = await sql.query(
    SQL`select id from graphloom.pipeline_states
      where flow = $1::text and sink = $2::text and target = $3::text`,
    [flow, sink, hashOf(target)],
  );
  return row?.id ?? undefined;
}

/**
 * Whether a writer still has a state. No one else can take it before the transaction ends.
 * @throws DatabaseError
 */
export async function holdsState(sql: Sql, { state, writer }: StateClaim): Promise<boolean> {
  const rows = await sql.query(
    SQL`select id from graphloom.pipeline_states where id = $1::bigint and writer = $2::uuid for update`,
    [state, writer],
  );
  return rows.length > 0;
}

/** A sentence that names the process which has taken a state. @throws DatabaseError */
export async function takenText(sql: Sql, { state }: StateClaim): Promise<string> {
  const [row] = await sql.query(
    SQL`select process, (extract(epoch from since) * 1000)::bigint as since from graphloom.pipeline_states
      where id = $1::bigint`,
    [state],
  );
  const holder = readHolderNote({ process: parseJson(row?.process ?? ""), since: row?.since });
  return `Another server runs the pipeline${holderPart(holder)}.`;
}

/** The records of a state in order. @throws DatabaseError */
export async function readRecords(sql: Sql, state: string): Promise<readonly unknown[]> {
  const rows = await sql.query(
    SQL`select record::text as record from graphloom.pipeline_state_records where state = $1::bigint order by seq`,
    [state],
  );
  return rows.map(({ record }) => JSON.parse(record ?? "null"));
}

/** The number of the last record of a state. @throws DatabaseError */
export async function lastRecord(sql: Sql, state: string): Promise<string | undefined> {
  const [row] = await sql.query(
    SQL`select max(seq) as last from graphloom.pipeline_state_records where state = $1::bigint`,
    [state],
  );
  return row?.last ?? undefined;
}

/** Adds records to a state. @throws DatabaseError */
export async function addRecords(sql: Sql, state: string, records: Iterable<object>): Promise<void> {
  const texts = Array.from(records, (record) => JSON.stringify(record));
  await sql.query(
    SQL`insert into graphloom.pipeline_state_records (state, record)
      select $1::bigint, record::json from unnest($2::text[]) with ordinality as r (record, place) order by place`,
    [state, arrayText(texts)],
  );
}

/** Deletes all records of a state. @throws DatabaseError */
export async function dropRecords(sql: Sql, state: string): Promise<void> {
  await sql.query(SQL`delete from graphloom.pipeline_state_records where state = $1::bigint`, [state]);
}

function hashOf(target: string): string {
  return createHash("sha256").update(target).digest("hex");
}

/**
 * Deletes all states of a pipeline.
 * @param mayDrop decides in the transaction that deletes them
 * @returns whether any were deleted @throws DatabaseError
 */
export async function dropStates(
  database: Database,
  flow: string,
  mayDrop: (sql: Sql) => Promise<boolean>,
): Promise<boolean> {
  return database.transaction(async (sql) => {
    if (!(await mayDrop(sql))) return false;
    const dropped = await sql.query(
      SQL`delete from graphloom.pipeline_states where flow = $1::text returning id`,
      [flow],
    );
    return dropped.length > 0;
  });
}
