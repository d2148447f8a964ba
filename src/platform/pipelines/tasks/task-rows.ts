import type { PipelineTask, PipelineTaskResult } from "../../../pipelines/host/pipeline-engine.js";
import {
  columns,
  computed,
  nullable,
  oneOf,
  optional,
  type RowOf,
  text,
  time,
} from "../../../store/database/columns.js";
import { SQL, type Sql } from "../../../store/database/database.js";
import type { PipelineName } from "../pipeline-rows.js";

/** A task that is stored with its outcome. */
export type KeptTask = Exclude<PipelineTask, { readonly kind: "parked" }>;

/** The kinds of tasks that are stored. */
export const taskKinds = ["verify", "repair", "replay", "retry", "drop"] as const;

/** How many tasks of a pipeline to keep. */
const most = 10;

const taskRow = columns(
  {
    id: computed(SQL`t.id::text`, text),
    kind: oneOf(taskKinds),
    task: computed(SQL`t.task::text`, { parse: (given: string) => JSON.parse(given) as KeptTask }),
    progress: nullable(text),
    state: computed(
      SQL`case when t.ended_at is null and t.held_until >= now() then 'running'
        when t.result is not null then 'done'
        when t.cancelled_at is not null then 'cancelled' else 'failed' end`,
      oneOf(["running", "done", "failed", "cancelled"]),
    ),
    /** Since when it should end. It may have been done before its server heard of the request. */
    cancelledAt: optional(time),
    result: computed(
      SQL`t.result::text`,
      optional({ parse: (given: string) => JSON.parse(given) as PipelineTaskResult }),
    ),
    error: computed(
      SQL`case when t.ended_at is null and t.held_until < now()
          and t.cancelled_at is null
        then 'The server that did it has ended. Ask for it again.' else t.error end`,
      nullable(text),
    ),
    createdAt: time,
    endedAt: optional(time),
  },
  "t",
);

/** A user's request for a task, and its outcome. */
export type TaskRow = RowOf<typeof taskRow>;

/**
 * Adds a running task, and drops the oldest ones. @param time the length of its lease, in milliseconds @throws
 * DatabaseError
 */
export async function addTask(
  sql: Sql,
  { project, name }: PipelineName,
  id: string,
  task: KeptTask,
  lease: number,
): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.pipeline_tasks (id, project, pipeline, kind, task, held_until)
      values ($1::uuid, $2::text, $3::text, $4::text, $5::jsonb, now() + $6::bigint * interval '1 millisecond')`,
    [id, project, name, task.kind, JSON.stringify(task), String(lease)],
  );
  await sql.query(
    SQL`delete from graphloom.pipeline_tasks where project = $1::text and pipeline = $2::text
      and id not in (select id from graphloom.pipeline_tasks
        where project = $1::text and pipeline = $2::text order by created_at desc limit $3::integer)`,
    [project, name, String(most)],
  );
}

/**
 * Records that a task is still running.
 * @returns whether it continues; `gone` if it no longer runs, for example after its pipeline was deleted
 * @throws DatabaseError
 */
export async function holdTask(
  sql: Sql,
  { project, name }: PipelineName,
  id: string,
  progress: string | undefined,
  lease: number,
): Promise<"held" | "cancelled" | "gone"> {
  const [row] = await sql.query(
    SQL`update graphloom.pipeline_tasks set progress = coalesce($4::text, progress),
        held_until = now() + $5::bigint * interval '1 millisecond'
      where project = $1::text and pipeline = $2::text and id = $3::uuid and ended_at is null
      returning case when cancelled_at is null then 'held' else 'cancelled' end as state`,
    [project, name, id, progress ?? null, String(lease)],
  );
  if (!row) return "gone";
  return row.state === "cancelled" ? "cancelled" : "held";
}

/** Asks for the end of a task. @returns false if it is not under way @throws DatabaseError */
export async function cancelTask(sql: Sql, { project, name }: PipelineName, id: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.pipeline_tasks set cancelled_at = coalesce(cancelled_at, now())
      where project = $1::text and pipeline = $2::text and id = $3::uuid
        and ended_at is null and held_until >= now() returning id`,
    [project, name, id],
  );
  return rows.length > 0;
}

/** How a task has ended. */
export interface TaskOutcome {
  readonly result?: PipelineTaskResult;
  /** Why it failed. */
  readonly error?: string;
  /** Its last progress report. */
  readonly progress?: string | undefined;
}

/** Records how a task has ended. @throws DatabaseError */
export async function endTask(
  sql: Sql,
  { project, name }: PipelineName,
  id: string,
  { result, error, progress }: TaskOutcome,
): Promise<void> {
  await sql.query(
    SQL`update graphloom.pipeline_tasks set ended_at = now(), result = $4::jsonb, error = $5::text,
        progress = coalesce($6::text, progress)
      where project = $1::text and pipeline = $2::text and id = $3::uuid`,
    [
      project,
      name,
      id,
      result === undefined ? null : JSON.stringify(result),
      error ?? null,
      progress ?? null,
    ],
  );
}

/** The last tasks of a pipeline, newest first. @throws DatabaseError */
export async function listTasks(sql: Sql, { project, name }: PipelineName): Promise<readonly TaskRow[]> {
  const rows = await sql.query(
    SQL`select ${taskRow.list} from graphloom.pipeline_tasks t
      where project = $1::text and pipeline = $2::text order by created_at desc`,
    [project, name],
  );
  return rows.map(taskRow.read);
}
