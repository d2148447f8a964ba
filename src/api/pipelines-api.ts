import type { SinkChange } from "../base/sink-change.js";
import { checkData } from "./answers/check-answer.js";
import { operationOf } from "./api-document.js";
import { callOperation } from "./call-operation.js";
import { type AnyInput, type ApiConnection, callRoute } from "./call-route.js";
import type { LogPage, Operations, Pipeline } from "./contract.js";
import { objectOf } from "./extension.js";
import { inspectPipeline } from "./inspect-pipeline.js";
import { listPages } from "./list-pages.js";
import {
  type AppliedDefinition,
  type DefinitionFinding,
  type InspectEvent,
  type PipelineInfo,
  type PipelineNode,
  type PipelineSnapshotInfo,
  type PipelineVersionInfo,
  pipelineOperations,
  type SentApply,
  type SentComparison,
  type SentDefinition,
  type SentStatus,
} from "./pipeline-operations.js";
import {
  type ParkedRows,
  type PipelineTaskInfo,
  pipelineTaskOperations,
  type SentParked,
  type SentRepair,
  type SentReplay,
  type SentVerify,
} from "./pipeline-tasks.js";

/**
 * Pipelines and streams on graphloom's server. Every method rejects with ApiProblem if the server refuses, HttpError
 * if there is no response, and ApiAnswerError if the answer is malformed. Reading operations make up to three
 * attempts, all others one.
 */
export interface PipelinesApi {
  /** All pipelines of the project by name. */
  list(): Promise<readonly Pipeline[]>;
  /** A pipeline as in the contract. */
  get(name: string): Promise<Pipeline>;
  /** @param version a version of its definition; by default, the running one */
  describe(name: string, version?: number): Promise<PipelineInfo>;
  versions(name: string): Promise<readonly PipelineVersionInfo[]>;
  /** Creates a pipeline, or adds a version to it. An ApiProblem 400 names every mistake with its place. */
  apply(name: string, definition: SentApply): Promise<AppliedDefinition>;
  check(definition: SentDefinition): Promise<{
    readonly findings: readonly DefinitionFinding[];
    readonly nodes: readonly PipelineNode[];
  }>;
  /** What happens to each sink when a definition is applied; empty for a new pipeline. */
  compare(name: string, definition: SentComparison): Promise<readonly SinkChange[]>;
  setStatus(name: string, status: SentStatus): Promise<PipelineInfo>;
  resize(name: string, size: string): Promise<PipelineInfo>;
  cancelChange(name: string): Promise<PipelineInfo>;
  /**
   * Snapshots, newest first.
   * @param version selects one version
   */
  snapshots(name: string, version?: number): Promise<readonly PipelineSnapshotInfo[]>;
  takeSnapshot(name: string): Promise<PipelineSnapshotInfo>;
  remove(name: string): Promise<void>;
  logs(name: string, query: Operations["getPipelineLogs"]["query"]): Promise<LogPage>;
  /** Its saved progress. */
  state(name: string): Promise<unknown>;
  /** Starts a task on the state of its sinks. See `pipelineTaskOperations`. */
  verify(name: string, asked: SentVerify): Promise<PipelineTaskInfo>;
  repair(name: string, asked: SentRepair): Promise<PipelineTaskInfo>;
  replay(name: string, asked: SentReplay): Promise<PipelineTaskInfo>;
  retryParked(name: string, asked: SentParked): Promise<PipelineTaskInfo>;
  dropParked(name: string, asked: Required<SentParked>): Promise<PipelineTaskInfo>;
  /** The last tasks, newest first. */
  tasks(name: string): Promise<readonly PipelineTaskInfo[]>;
  /** Requests that a task end. */
  cancelTask(name: string, id: string): Promise<PipelineTaskInfo>;
  /** The progress or the outcome of a task. */
  task(name: string, id: string): Promise<PipelineTaskInfo>;
  /**
   * Changes that its sinks have set aside.
   * @param sink selects one sink
   */
  parked(name: string, sink: string | undefined): Promise<readonly ParkedRows[]>;
  /**
   * Shows rows as they pass nodes. See `inspectPipeline`.
   * @param nodes all by default
   */
  inspect(
    name: string,
    nodes: readonly string[] | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<InspectEvent>;
}

interface Answers {
  readonly applyPipeline: AppliedDefinition;
  readonly checkPipeline: Awaited<ReturnType<PipelinesApi["check"]>>;
  readonly comparePipeline: { readonly sinks: readonly SinkChange[] };
  readonly describePipeline: PipelineInfo;
  readonly listPipelineVersions: readonly PipelineVersionInfo[];
  readonly setPipelineStatus: PipelineInfo;
  readonly resizePipeline: PipelineInfo;
  readonly cancelPipelineChange: PipelineInfo;
  readonly listPipelineSnapshots: readonly PipelineSnapshotInfo[];
  readonly createPipelineSnapshot: PipelineSnapshotInfo;
  readonly verifyPipeline: PipelineTaskInfo;
  readonly repairPipeline: PipelineTaskInfo;
  readonly replayPipeline: PipelineTaskInfo;
  readonly retryParkedChanges: PipelineTaskInfo;
  readonly dropParkedChanges: PipelineTaskInfo;
  readonly getPipelineTask: PipelineTaskInfo;
  readonly listPipelineTasks: readonly PipelineTaskInfo[];
  readonly cancelPipelineTask: PipelineTaskInfo;
  readonly listParkedChanges: readonly ParkedRows[];
}

const operations = { ...pipelineOperations, ...pipelineTaskOperations };

/** Milliseconds without progress: a server may wait for a pipeline to end its batch. */
const patience = 60_000;

/** An extension of the contract: the progress of each sink, by name. */
const stateAnswer = {
  answer: objectOf({
    data: {
      type: "object",
      additionalProperties: objectOf({
        state: { type: "string" },
        rows: { type: "number" },
        sources: { type: "object" },
      }),
    },
  }),
};

async function readState(connection: ApiConnection, name: string): Promise<unknown> {
  const id = "getPipelineState";
  const { text, secrets } = await callRoute(connection, operationOf(id), { path: { name } });
  return checkData(id, stateAnswer, text, secrets);
}

/** Creates a client for a server's pipelines. This sends no request. */
export function createPipelinesApi(connection: ApiConnection): PipelinesApi {
  const call = async <Id extends keyof Answers>(id: Id, input: AnyInput): Promise<Answers[Id]> => {
    const operation = operations[id];
    const { text, secrets } = await callRoute(
      connection,
      { ...operation, id },
      { timeout: patience, ...input },
    );
    return checkData(id, operation, text, secrets) as Answers[Id];
  };
  return {
    list: () => listPages(connection, "listPipelines", {}),
    get: (name) => callOperation(connection, "getPipeline", { path: { name } }),
    describe: (name, version) => call("describePipeline", { path: { name }, query: { version } }),
    versions: (name) => call("listPipelineVersions", { path: { name } }),
    apply: (name, body) => call("applyPipeline", { path: { name }, body }),
    check: (body) => call("checkPipeline", { body }),
    compare: async (name, body) => (await call("comparePipeline", { path: { name }, body })).sinks,
    setStatus: (name, body) => call("setPipelineStatus", { path: { name }, body }),
    resize: (name, size) => call("resizePipeline", { path: { name }, body: { resource_size: size } }),
    cancelChange: (name) => call("cancelPipelineChange", { path: { name } }),
    snapshots: (name, version) => call("listPipelineSnapshots", { path: { name }, query: { version } }),
    takeSnapshot: (name) => call("createPipelineSnapshot", { path: { name } }),
    remove: async (name) => {
      await callOperation(connection, "deletePipeline", { path: { name }, timeout: patience });
    },
    logs: async (name, query) =>
      (await callOperation(connection, "getPipelineLogs", { path: { name }, query })).data,
    state: (name) => readState(connection, name),
    verify: (name, body) => call("verifyPipeline", { path: { name }, body }),
    repair: (name, body) => call("repairPipeline", { path: { name }, body }),
    replay: (name, body) => call("replayPipeline", { path: { name }, body }),
    retryParked: (name, body) => call("retryParkedChanges", { path: { name }, body }),
    dropParked: (name, body) => call("dropParkedChanges", { path: { name }, body }),
    tasks: (name) => call("listPipelineTasks", { path: { name } }),
    cancelTask: (name, id) => call("cancelPipelineTask", { path: { name, id } }),
    task: (name, id) => call("getPipelineTask", { path: { name, id } }),
    parked: (name, sink) => call("listParkedChanges", { path: { name }, query: { sink } }),
    inspect: (name, nodes, signal) => inspectPipeline(connection, name, nodes, signal),
  };
}
