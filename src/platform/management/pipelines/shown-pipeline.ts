import type { Pipeline, PipelineStatus } from "../../../api/contract.js";
import type {
  PipelineInfo,
  PipelineSink,
  PipelineSnapshotInfo,
  PipelineVersionInfo,
  RunningNode,
} from "../../../api/pipeline-operations.js";
import type { SinkStatus, TopologyNode } from "../../../pipelines/host/pipeline-engine.js";
import type { PipelineRow, PipelineVersion } from "../../pipelines/pipeline-rows.js";
import { placesIn, type SnapshotRow, savepointIn } from "../../pipelines/snapshot-rows.js";

/** The status of a pipeline in the words of the contract. */
export function statusOf({
  status,
  runtime,
  generation,
  seenGeneration,
  request,
}: PipelineRow): PipelineStatus {
  if (status === "PAUSED") return "PAUSED";
  if (status === "INACTIVE") return "STOPPED";
  const isSeen = seenGeneration === generation;
  if (!isSeen || runtime === "STARTING")
    return request === "create" || request === undefined ? "DEPLOYING" : "RESTARTING";
  return statusOfRunning(runtime);
}

/** The status of a pipeline that should run, in the words of the contract. */
export function statusOfRunning(runtime: PipelineRow["runtime"]): PipelineStatus {
  if (runtime === "STARTING") return "DEPLOYING";
  if (runtime === "COMPLETED") return "SUCCEEDED";
  return runtime === "TERMINATED" ? "FAILED" : "RUNNING";
}

/** A pipeline in the contract's form. */
export function shownPipeline(row: PipelineRow, version: PipelineVersion): Pipeline {
  const {
    sources = {},
    transforms = {},
    sinks = {},
  } = version.document as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return {
    name: row.name,
    type: row.form,
    status: statusOf(row),
    definition: {
      sources,
      transforms,
      sinks,
      job: row.isJob,
      resource_size: version.size,
      ...(version.description !== null && { description: version.description }),
    },
    resource_size: version.size,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    version: row.version,
    project_id: row.project,
  };
}

/** Extension: everything known about a pipeline. @param version the version whose definition is shown */
export function shownInfo(row: PipelineRow, version: PipelineVersion): PipelineInfo {
  const { request, requestedAt } = row;
  return {
    name: row.name,
    form: row.form,
    job: row.isJob,
    version: version.version,
    desired_status: row.status,
    runtime_status: row.runtime,
    resource_size: version.size,
    ...(version.engine && { engine: version.engine.kind, integers: version.engine.integers }),
    description: version.description,
    request:
      request === undefined ? null : { kind: request, since: (requestedAt ?? row.updatedAt).toISOString() },
    error: row.error,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    text: version.definition,
    variables: version.variables,
    abis: version.abis.map(({ url, format, abi }) => ({ url, format, abi })),
    nodes: version.topology.map((node) => shownNode(node, version.version === row.version, row)),
    sinks: Object.fromEntries(Object.entries(row.sinks).map(([name, sink]) => [name, shownSink(sink)])),
  };
}

function shownNode(node: TopologyNode, isCurrent: boolean, { nodes }: PipelineRow): RunningNode {
  const status = isCurrent ? nodes[node.name] : undefined;
  return status ? { ...node, rows: status.rows, rows_per_second: status.rate } : node;
}

function shownSink(status: SinkStatus): PipelineSink {
  const {
    state,
    rows,
    blocks,
    rate = 0,
    lag = {},
    why,
    since,
    retryAt,
    parked = 0,
    misses,
    waiting,
  } = status;
  return {
    state,
    rows,
    blocks,
    rows_per_second: rate,
    lag,
    parked,
    ...(misses !== undefined && { lookup_misses: misses }),
    ...(waiting !== undefined && { waiting }),
    why: why ?? null,
    since: since === undefined ? null : new Date(since).toISOString(),
    retry_at: retryAt === undefined ? null : new Date(retryAt).toISOString(),
  };
}

/** Extension: a version in a list. */
export function shownVersion({
  version,
  size,
  description,
  createdAt,
}: PipelineVersion): PipelineVersionInfo {
  return { version, resource_size: size, description, created_at: createdAt.toISOString() };
}

/** Extension: a snapshot in a list. */
export function shownSnapshot(row: SnapshotRow): PipelineSnapshotInfo {
  const { id, version, cause, createdAt } = row;
  const savepoint = savepointIn(row);
  return {
    id,
    version,
    cause,
    created_at: createdAt.toISOString(),
    sinks: placesIn(row),
    ...(savepoint !== undefined && { savepoint }),
  };
}
