import { randomUUID } from "node:crypto";
import {
  cell,
  columns,
  computed,
  integer,
  oneOf,
  type RowOf,
  text,
  time,
} from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { lockPipeline, type PipelineName } from "./pipeline-rows.js";

/** Why a snapshot was taken. */
export const snapshotCauses = ["request", "schedule", "change", "pause"] as const;
export type SnapshotCause = (typeof snapshotCauses)[number];

const idPrefix = "snapshot_";

/** How many snapshots of a pipeline to keep. */
const most = 10;

const snapshotRow = columns(
  {
    id: text,
    version: integer,
    cause: oneOf(snapshotCauses),
    content: computed(SQL`s.content::text`, text),
    createdAt: time,
  },
  "s",
);

/** A snapshot of a pipeline. Its content is JSON, in the form of the graphloom version that took it. */
export type SnapshotRow = RowOf<typeof snapshotRow>;

/** A snapshot to be added. */
export interface NewSnapshot extends Pick<SnapshotRow, "version" | "cause" | "content"> {}

/**
 * Adds a snapshot of a pipeline, and drops the oldest ones, but not one that the pipeline is about to start with.
 * @param sql a transaction
 * @returns its id; `undefined` if the pipeline is gone @throws DatabaseError
 */
export async function addSnapshot(
  sql: Sql,
  { project, name }: PipelineName,
  { version, cause, content }: NewSnapshot,
): Promise<string | undefined> {
  // No one can choose a snapshot to start with while the oldest ones are dropped.
  await lockPipeline(sql, { project, name });
  const id = `${idPrefix}${randomUUID().replaceAll("-", "")}`;
  const added = await sql.query(
    SQL`insert into graphloom.pipeline_snapshots (id, project, pipeline, version, cause, content, created_at)
      select $1::text, project, name, $4::integer, $5::text, $6::jsonb, clock_timestamp() from graphloom.pipelines
      where project = $2::text and name = $3::text returning id`,
    [id, project, name, String(version), cause, content],
  );
  await sql.query(
    SQL`delete from graphloom.pipeline_snapshots s using graphloom.pipelines p
      where s.project = $1::text and s.pipeline = $2::text and p.project = s.project and p.name = s.pipeline
        and s.id <> p.begins and s.id not in (select id from graphloom.pipeline_snapshots
          where project = $1::text and pipeline = $2::text order by created_at desc limit $3::integer)`,
    [project, name, String(most)],
  );
  return added.length > 0 ? id : undefined;
}

/** Whether the starting point of a pipeline is the id of a snapshot, which may no longer exist. */
export function isSnapshotId(begins: string): boolean {
  return begins.startsWith(idPrefix);
}

/** Snapshots of a pipeline, newest first. @param version only those of one version @throws DatabaseError */
export async function listSnapshots(
  sql: Sql,
  { project, name }: PipelineName,
  version?: number,
): Promise<readonly SnapshotRow[]> {
  const rows = await sql.query(
    SQL`select ${snapshotRow.list} from graphloom.pipeline_snapshots s
      where project = $1::text and pipeline = $2::text and ($3::integer is null or version = $3::integer)
      order by created_at desc`,
    [project, name, version === undefined ? null : String(version)],
  );
  return rows.map(snapshotRow.read);
}

/** A snapshot of a pipeline. @throws DatabaseError */
export async function findSnapshot(
  sql: Sql,
  { project, name }: PipelineName,
  id: string,
): Promise<SnapshotRow | undefined> {
  const [row] = await sql.query(
    SQL`select ${snapshotRow.list} from graphloom.pipeline_snapshots s
      where project = $1::text and pipeline = $2::text and id = $3::text`,
    [project, name, id],
  );
  return row && snapshotRow.read(row);
}

/**
 * The pipelines of a server that have run for a time without a snapshot.
 * @param time milliseconds @throws DatabaseError
 */
export async function pipelinesWithoutSnapshot(
  sql: Sql,
  holder: string,
  time: number,
): Promise<readonly (PipelineName & { readonly version: number })[]> {
  const rows = await sql.query(
    SQL`select project, name, version from graphloom.pipelines p
      where holder = $1::uuid and runtime = 'RUNNING' and seen_generation = generation
        and updated_at < now() - $2::bigint * interval '1 millisecond'
        and not exists (select from graphloom.pipeline_snapshots s where s.project = p.project
          and s.pipeline = p.name and s.created_at > now() - $2::bigint * interval '1 millisecond')`,
    [holder, String(time)],
  );
  return rows.map((row) => ({
    project: cell(row, "project"),
    name: cell(row, "name"),
    version: Number(cell(row, "version")),
  }));
}

/** The savepoint of Flink in a snapshot's content, if it has one. */
export function savepointIn({ content }: SnapshotRow): string | undefined {
  const { savepoint } = JSON.parse(content) as { readonly savepoint?: { readonly place: string } };
  return savepoint?.place;
}

/** The positions of each sink's sources, from a snapshot's content; empty for an unknown form. */
export function placesIn({
  content,
}: SnapshotRow): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const { sinks = {} } = JSON.parse(content) as {
    readonly sinks?: Readonly<
      Record<string, { readonly sources: Readonly<Record<string, { readonly next: number }>> }>
    >;
  };
  return Object.fromEntries(
    Object.entries(sinks).map(([sink, { sources }]) => [
      sink,
      Object.fromEntries(Object.entries(sources).map(([source, { next }]) => [source, next])),
    ]),
  );
}
