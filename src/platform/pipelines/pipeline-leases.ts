import type { NodeStatus, SinkStatus } from "../../pipelines/host/pipeline-engine.js";
import {
  cell,
  columns,
  computed,
  integer,
  nullable,
  oneOf,
  type RowOf,
  text,
} from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import {
  isOver,
  type PipelineName,
  pauses,
  pipelineStatuses,
  type RuntimeStatus,
  runtimeStatuses,
} from "./pipeline-rows.js";

const aimRow = columns(
  {
    project: text,
    name: text,
    version: integer,
    status: oneOf(pipelineStatuses),
    generation: integer,
    runtime: oneOf(runtimeStatuses),
    seenGeneration: integer,
    begins: text,
    holder: nullable(text),
    holderProcess: nullable(text),
    /** How often in a row its process has died since its last change. */
    deaths: computed(SQL`case when p.died_generation = p.generation then p.deaths else 0 end`, integer),
    pauses,
  },
  "p",
);

/** The requested state of a pipeline, and how far a server has carried it out. */
export type PipelineAim = RowOf<typeof aimRow>;

/** Whether there is nothing to do for a pipeline: it has ended, or restarts after a pause. */
export function rests(aim: PipelineAim): boolean {
  return isOver(aim) || (aim.pauses && aim.status === "ACTIVE");
}

/** A server that runs pipelines, and how long its leases last. */
export interface LeaseHolder {
  /** A UUID. */
  readonly holder: string;
  /** Its process, as `processName` names it. */
  readonly process?: string | undefined;
  /** Milliseconds. */
  readonly time: number;
}

/** All pipelines of all projects. @throws DatabaseError */
export async function aimedPipelines(sql: Sql): Promise<readonly PipelineAim[]> {
  const rows = await sql.query(
    SQL`select ${aimRow.list} from graphloom.pipelines p where version > 0 order by created_at, project, name`,
  );
  return rows.map(aimRow.read);
}

/** The requested state of one pipeline; `undefined` if it is gone. @throws DatabaseError */
export async function aimedPipeline(
  sql: Sql,
  { project, name }: PipelineName,
): Promise<PipelineAim | undefined> {
  const [row] = await sql.query(
    SQL`select ${aimRow.list} from graphloom.pipelines p where project = $1::text and name = $2::text`,
    [project, name],
  );
  return row && aimRow.read(row);
}

/**
 * Takes the lease of a pipeline, or extends it.
 * @param gone a server that is known to have ended
 * @returns whether the server holds it now @throws DatabaseError
 */
export async function holdPipeline(
  sql: Sql,
  { project, name }: PipelineName,
  { holder, process, time }: LeaseHolder,
  gone: string | null = null,
): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.pipelines set holder = $3::uuid, held_until = now() + $4::bigint * interval '1 millisecond',
        holder_process = $5::text
      where project = $1::text and name = $2::text
        and (holder is null or holder in ($3::uuid, $6::uuid) or held_until < now()) returning name`,
    [project, name, holder, String(time), process ?? null, gone],
  );
  return rows.length > 0;
}

/**
 * Extends all leases of a server. @returns the pipelines with its leases, as `<project>/<name>` @throws DatabaseError
 */
export async function extendLeases(
  sql: Sql,
  { holder, time }: Omit<LeaseHolder, "process">,
): Promise<ReadonlySet<string>> {
  const rows = await sql.query(
    SQL`update graphloom.pipelines set held_until = now() + $2::bigint * interval '1 millisecond'
      where holder = $1::uuid returning project || '/' || name as flow`,
    [holder, String(time)],
  );
  return new Set(rows.map((row) => cell(row, "flow")));
}

/**
 * Releases the lease of a pipeline.
 * @throws DatabaseError
 */
export async function letGoOfPipeline(
  sql: Sql,
  { project, name }: PipelineName,
  holder: string,
): Promise<void> {
  await sql.query(
    SQL`update graphloom.pipelines set holder = null, held_until = null, holder_process = null
      where project = $1::text and name = $2::text and holder = $3::uuid`,
    [project, name, holder],
  );
}

/** Ends the leases of all other servers, which are known to be gone. @throws DatabaseError */
export async function endOtherLeases(sql: Sql, holder: string): Promise<void> {
  await sql.query(
    SQL`update graphloom.pipelines set holder = null, held_until = null, holder_process = null
      where holder <> $1::uuid`,
    [holder],
  );
}

/** A server's report about a pipeline that it runs. */
export interface Observed {
  readonly generation: number;
  readonly runtime: RuntimeStatus;
  readonly error: string | null;
  /** Null keeps the earlier report. */
  readonly sinks: Readonly<Record<string, SinkStatus>> | null;
  /** The report about sources and transforms; absent to keep the earlier one. */
  readonly nodes?: Readonly<Record<string, NodeStatus>>;
  /** Megabytes of memory of its process, if it has one. */
  readonly memory?: number | undefined;
}

/**
 * Records a server's report about a pipeline, unless the pipeline has changed meanwhile. Completes a pending change.
 * @throws DatabaseError
 */
export async function observePipeline(
  sql: Sql,
  { project, name }: PipelineName,
  { generation, runtime, error, sinks, nodes, memory }: Observed,
): Promise<void> {
  await sql.query(
    SQL`update graphloom.pipelines set runtime = $4::text, seen_generation = $3::bigint, error = $5::text,
        sinks = coalesce($6::jsonb, sinks), nodes = coalesce($7::jsonb, nodes),
        memory = $8::bigint * 1048576,
        begins = case when $4::text = 'STARTING' then begins else 'continue' end,
        request = case when $4::text = 'STARTING' then request end,
        requested_at = case when $4::text = 'STARTING' then requested_at end,
        replaced_version = case when $4::text = 'STARTING' then replaced_version end
      where project = $1::text and name = $2::text and generation = $3::bigint`,
    [
      project,
      name,
      String(generation),
      runtime,
      error,
      sinks && JSON.stringify(sinks),
      nodes ? JSON.stringify(nodes) : null,
      memory === undefined ? null : String(memory),
    ],
  );
}

/**
 * Records that the process of a pipeline has died, so that no server restarts it before a pause is over.
 * @param deaths how often it has died in a row
 * @param pause milliseconds
 * @throws DatabaseError
 */
export async function noteDeath(
  sql: Sql,
  { project, name }: PipelineName,
  {
    generation,
    deaths,
    pause,
  }: { readonly generation: number; readonly deaths: number; readonly pause: number },
): Promise<void> {
  await sql.query(
    SQL`update graphloom.pipelines set deaths = $4::integer, died_generation = $3::bigint,
        retry_at = now() + $5::bigint * interval '1 millisecond'
      where project = $1::text and name = $2::text and generation = $3::bigint`,
    [project, name, String(generation), String(deaths), String(Math.ceil(pause))],
  );
}

/** Counts a start of a pipeline's process. @throws DatabaseError */
export async function noteStart(sql: Sql, { project, name }: PipelineName): Promise<void> {
  await sql.query(
    SQL`update graphloom.pipelines set starts = starts + 1 where project = $1::text and name = $2::text`,
    [project, name],
  );
}

/** Whether a server has the lease of a pipeline. @throws DatabaseError */
export async function isHeld(sql: Sql, { project, name }: PipelineName): Promise<boolean> {
  const rows = await sql.query(
    SQL`select name from graphloom.pipelines
      where project = $1::text and name = $2::text and held_until >= now()`,
    [project, name],
  );
  return rows.length > 0;
}
