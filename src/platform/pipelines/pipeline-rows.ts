import type { FetchedAbi } from "../../pipelines/definition/fetch-abis.js";
import type {
  NodeStatus,
  OtherEngine,
  SinkStatus,
  TopologyNode,
} from "../../pipelines/host/pipeline-engine.js";
import {
  boolean,
  type Column,
  cell,
  columns,
  computed,
  integer,
  nullable,
  oneOf,
  optional,
  type RowOf,
  text,
  time,
} from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { notify } from "../../store/database/notify.js";
import { arrayText } from "../../store/database/sql-array.js";

/** The channel on which servers with one database tell each other about changes. */
export const pipelineChannel = "graphloom_pipelines";

/** Names a pipeline or a stream in a project. */
export interface PipelineName {
  readonly project: string;
  readonly name: string;
}

/** The requested state of a pipeline. */
export const pipelineStatuses = ["ACTIVE", "INACTIVE", "PAUSED"] as const;
export type WantedStatus = (typeof pipelineStatuses)[number];

/** The state that a server reports for a pipeline. */
export const runtimeStatuses = ["STARTING", "RUNNING", "FAILING", "TERMINATED", "COMPLETED"] as const;
export type RuntimeStatus = (typeof runtimeStatuses)[number];

/** A change under way. */
export const requestKinds = ["create", "update", "resize", "restart", "start"] as const;
export type RequestKind = (typeof requestKinds)[number];

function json<Value>(): Column<Value> {
  return { parse: (given) => JSON.parse(given) as Value };
}

/** Whether the process of a pipeline `p` has died, and restarts after a pause. */
export const pauses = computed(
  SQL`coalesce(p.died_generation = p.generation and p.retry_at > now(), false)`,
  boolean,
);

const pipelineRow = columns(
  {
    project: text,
    name: text,
    form: oneOf(["pipeline", "stream"]),
    isJob: boolean,
    version: integer,
    status: oneOf(pipelineStatuses),
    generation: integer,
    request: optional(oneOf(requestKinds)),
    requestedAt: optional(time),
    replacedVersion: optional(integer),
    runtime: oneOf(runtimeStatuses),
    seenGeneration: integer,
    error: nullable(text),
    pauses,
    sinks: computed(SQL`p.sinks::text`, json<Readonly<Record<string, SinkStatus>>>()),
    nodes: computed(SQL`p.nodes::text`, json<Readonly<Record<string, NodeStatus>>>()),
    /** The running task on its state. */
    task: computed(
      SQL`(select kind from graphloom.pipeline_tasks t where t.project = p.project and t.pipeline = p.name
        and t.ended_at is null and t.held_until >= now() limit 1)`,
      optional(text),
    ),
    createdAt: time,
    updatedAt: time,
  },
  "p",
);

/** A pipeline or a stream. */
export type PipelineRow = RowOf<typeof pipelineRow>;

/** Whether a pipeline has ended since its last change. */
export function isOver({
  generation,
  seenGeneration,
  runtime,
}: Pick<PipelineRow, "generation" | "seenGeneration" | "runtime">): boolean {
  return seenGeneration === generation && (runtime === "TERMINATED" || runtime === "COMPLETED");
}

const versionRow = columns(
  {
    version: integer,
    definition: text,
    variables: computed(SQL`v.variables::text`, json<Readonly<Record<string, string>>>()),
    document: computed(SQL`v.document::text`, json<Readonly<Record<string, unknown>>>()),
    topology: computed(SQL`v.topology::text`, json<readonly TopologyNode[]>()),
    size: computed(SQL`v.resource_size`, text),
    abis: computed(SQL`v.abis::text`, json<readonly FetchedAbi[]>()),
    engine: computed(SQL`v.engine::text`, optional(json<OtherEngine>())),
    description: nullable(text),
    createdAt: time,
  },
  "v",
);

/** A version of a pipeline's definition. */
export type PipelineVersion = RowOf<typeof versionRow>;

/** A version to add. */
export interface NewPipelineVersion
  extends Pick<
    PipelineVersion,
    "definition" | "variables" | "abis" | "document" | "topology" | "size" | "engine" | "description"
  > {}

/** A pipeline to add. */
export interface NewPipeline extends PipelineName, Pick<PipelineRow, "form" | "isJob" | "status"> {}

/**
 * Adds a pipeline without a version.
 * @returns false if the project already has a pipeline with the name
 * @throws DatabaseError
 */
export async function addPipeline(sql: Sql, added: NewPipeline): Promise<boolean> {
  await lockName(sql, added);
  const rows = await sql.query(
    SQL`insert into graphloom.pipelines (project, name, form, is_job, version, last_version, status)
      values ($1::text, $2::text, $3::text, $4::boolean, 0, 0, $5::text)
      on conflict (project, name) do nothing returning name`,
    [added.project, added.name, added.form, String(added.isJob), added.status],
  );
  return rows.length > 0;
}

/**
 * A pipeline of a project.
 * @param isLocked whether others must wait to change it until the transaction ends
 * @throws DatabaseError
 */
export async function findPipeline(
  sql: Sql,
  { project, name }: PipelineName,
  { isLocked = false }: { readonly isLocked?: boolean } = {},
): Promise<PipelineRow | undefined> {
  // Only a later statement sees a task that began while this waited.
  if (isLocked) await lockPipeline(sql, { project, name });
  const [row] = await sql.query(
    SQL`select ${pipelineRow.list} from graphloom.pipelines p where project = $1::text and name = $2::text`,
    [project, name],
  );
  return row && pipelineRow.read(row);
}

/**
 * Locks a pipeline's name until the transaction ends, so that others wait to create a pipeline with this name or to
 * drop its state.
 */
async function lockName(sql: Sql, { project, name }: PipelineName): Promise<void> {
  await sql.query(SQL`select pg_advisory_xact_lock(hashtextextended($1::text, 2))`, [`${project}/${name}`]);
}

/**
 * Whether no pipeline has a name. No one can create one before the transaction ends.
 * @throws DatabaseError
 */
export async function isGone(sql: Sql, { project, name }: PipelineName): Promise<boolean> {
  await lockName(sql, { project, name });
  const rows = await sql.query(
    SQL`select from graphloom.pipelines where project = $1::text and name = $2::text`,
    [project, name],
  );
  return rows.length === 0;
}

/**
 * Locks a pipeline until the transaction ends, so that others wait to change it. What the transaction reads
 * afterwards stays valid.
 * @throws DatabaseError
 */
export async function lockPipeline(sql: Sql, { project, name }: PipelineName): Promise<void> {
  await sql.query(
    SQL`select from graphloom.pipelines where project = $1::text and name = $2::text for update`,
    [project, name],
  );
}

/** Pipelines of a project by name. @param after the name that the list follows @throws DatabaseError */
export async function listPipelines(
  sql: Sql,
  project: string,
  { limit, after, form }: { readonly limit: number; readonly after?: string; readonly form?: string },
): Promise<readonly PipelineRow[]> {
  const rows = await sql.query(
    SQL`select ${pipelineRow.list} from graphloom.pipelines p
      where project = $1::text and ($2::text is null or name collate "C" > $2::text)
        and ($3::text is null or form = $3::text)
      order by name collate "C" limit $4::integer`,
    [project, after ?? null, form ?? null, String(limit)],
  );
  return rows.map(pipelineRow.read);
}

/** The datasets that the pipelines of a project read, in their current versions. @throws DatabaseError */
export async function readDatasets(
  sql: Sql,
  project: string,
): Promise<readonly { readonly pipeline: string; readonly dataset: string }[]> {
  const rows = await sql.query(
    SQL`select distinct p.name, dataset #>> '{}' as dataset
      from graphloom.pipelines p join graphloom.pipeline_versions v using (project, name, version),
        jsonb_path_query(v.document, '$.sources.*.dataset_name') as dataset
      where p.project = $1::text order by p.name`,
    [project],
  );
  return rows.map((row) => ({ pipeline: cell(row, "name"), dataset: cell(row, "dataset") }));
}

/** Adds the next version of a pipeline and makes it the current one. @returns its number @throws DatabaseError */
export async function addPipelineVersion(
  sql: Sql,
  { project, name }: PipelineName,
  added: NewPipelineVersion,
): Promise<number> {
  const [row] = await sql.query(
    SQL`with next as (
        update graphloom.pipelines set last_version = last_version + 1, version = last_version + 1
          where project = $1::text and name = $2::text returning version)
      insert into graphloom.pipeline_versions
        (project, name, version, definition, variables, document, topology, resource_size, description,
          engine, abis)
      select $1::text, $2::text, version, $3::text, $4::jsonb, $5::jsonb, $6::jsonb, $7::text, $8::text, $9::jsonb,
        $10::jsonb
      from next
      returning version`,
    [
      project,
      name,
      added.definition,
      JSON.stringify(added.variables),
      JSON.stringify(added.document),
      JSON.stringify(added.topology),
      added.size,
      added.description,
      added.engine ? JSON.stringify(added.engine) : null,
      JSON.stringify(added.abis),
    ],
  );
  return Number(row?.version);
}

/** A version of a pipeline. @throws DatabaseError */
export async function findPipelineVersion(
  sql: Sql,
  { project, name }: PipelineName,
  version: number,
): Promise<PipelineVersion | undefined> {
  const [row] = await sql.query(
    SQL`select ${versionRow.list} from graphloom.pipeline_versions v
      where project = $1::text and name = $2::text and version = $3::integer`,
    [project, name, String(version)],
  );
  return row && versionRow.read(row);
}

/** All versions of a pipeline, newest first. @throws DatabaseError */
export async function listPipelineVersions(
  sql: Sql,
  { project, name }: PipelineName,
): Promise<readonly PipelineVersion[]> {
  const rows = await sql.query(
    SQL`select ${versionRow.list} from graphloom.pipeline_versions v
      where project = $1::text and name = $2::text order by version desc`,
    [project, name],
  );
  return rows.map(versionRow.read);
}

/** A change of the requested state of a pipeline; absent fields stay. The pipeline restarts. */
export interface PipelineChange {
  readonly status?: WantedStatus;
  readonly form?: PipelineRow["form"];
  readonly isJob?: boolean;
  readonly version?: number;
  /**
   * Where it continues at its next start: `continue` at its positions, `anew` from the start, or the id of a
   * snapshot.
   */
  readonly begins?: string;
  /** The change under way; null for none. */
  readonly request: RequestKind | null;
  /** The version to go back to when the change is cancelled. */
  readonly replacedVersion?: number;
}

/** Changes the requested state of a pipeline. @throws DatabaseError */
export async function changePipeline(
  sql: Sql,
  { project, name }: PipelineName,
  { status, form, isJob, version, begins, request, replacedVersion }: PipelineChange,
): Promise<void> {
  await sql.query(
    SQL`update graphloom.pipelines set updated_at = now(), generation = generation + 1,
        status = coalesce($3::text, status), form = coalesce($4::text, form),
        is_job = coalesce($5::boolean, is_job), version = coalesce($6::integer, version),
        request = $7::text, requested_at = case when $7::text is not null then now() end,
        replaced_version = $8::integer, begins = coalesce($9::text, begins), error = null
      where project = $1::text and name = $2::text`,
    [
      project,
      name,
      status ?? null,
      form ?? null,
      isJob === undefined ? null : String(isJob),
      version === undefined ? null : String(version),
      request,
      replacedVersion === undefined ? null : String(replacedVersion),
      begins ?? null,
    ],
  );
}

/** Tells all servers with the database that a pipeline was changed, once the transaction commits. */
export async function tellOfPipelines(sql: Sql): Promise<void> {
  await notify(sql, pipelineChannel);
}

/** Deletes a pipeline with its versions and its log. @throws DatabaseError */
export async function deletePipelineRow(sql: Sql, { project, name }: PipelineName): Promise<void> {
  await sql.query(SQL`delete from graphloom.pipelines where project = $1::text and name = $2::text`, [
    project,
    name,
  ]);
}

/** Records the subgraphs that a pipeline reads, instead of the earlier ones. @throws DatabaseError */
export async function setPipelineSubgraphs(
  sql: Sql,
  { project, name }: PipelineName,
  subgraphs: readonly { readonly name: string; readonly version: string | undefined }[],
): Promise<void> {
  await sql.query(
    SQL`delete from graphloom.pipeline_subgraphs where project = $1::text and pipeline = $2::text`,
    [project, name],
  );
  await sql.query(
    SQL`insert into graphloom.pipeline_subgraphs (project, pipeline, subgraph, version)
      select distinct $1::text, $2::text, subgraph, version
      from unnest($3::text[], $4::text[]) as s (subgraph, version)`,
    [
      project,
      name,
      arrayText(subgraphs.map((one) => one.name)),
      arrayText(subgraphs.map(({ version = "" }) => version)),
    ],
  );
}

/** Names of the pipelines that read a version of a subgraph, under its version, a tag or its deployment id. @throws DatabaseError */
export async function pipelinesReading(
  sql: Sql,
  { project, name, version }: { readonly project: string; readonly name: string; readonly version: string },
): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select distinct pipeline from graphloom.pipeline_subgraphs s where project = $1::text and (
        (subgraph = $2::text and version = $3::text)
        or (version = '' and subgraph = (select deployment from graphloom.versions
          where project = $1::text and name = $2::text and version = $3::text)))
      order by pipeline`,
    [project, name, version],
  );
  return rows.map((row) => cell(row, "pipeline"));
}
