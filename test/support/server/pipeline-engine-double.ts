import { once } from "node:events";
import type {
  ComparedSink,
  DefinitionMeaning,
  ParkedOfSink,
  PipelineEnd,
  PipelineEngine,
  PipelineTask,
  PipelineTaskResult,
  RunningPipeline,
} from "../../../src/pipelines/host/pipeline-engine.js";
import { differenceCounts } from "../../../src/pipelines/sinks/audit.js";

/** Milliseconds until a pipeline runs, in which its change can be cancelled. */
const startTime = 300;

/**
 * An engine of pipelines that moves no rows: every definition is sound and has the name that it says, pipelines run until
 * they are stopped, and tasks are done at once. Verifying finds a missing row, a row is parked, and verifying one sink goes
 * on until it is cancelled.
 */
export function pipelineEngineDouble(): PipelineEngine {
  return {
    flink: undefined,
    check: async ({ text }) => ({ findings: [], meaning: meaningOf(text) }),
    run: (_, hear) => {
      setTimeout(() => hear.started(meaningOf("")), startTime);
      return running();
    },
    snapshot: async () => JSON.stringify({ sinks: {} }),
    perform: async (_order, task, _onProgress, signal) => {
      if (task.kind === "verify" && task.sink !== undefined) await once(signal, "abort");
      signal.throwIfAborted();
      return resultOf(task);
    },
    compare: async () => ({ findings: [], sinks: [] }),
    preview: () => running(),
    pauseLeftJob: async () => undefined,
    forget: async () => false,
    close: async () => undefined,
  };
}

function meaningOf(text: string): DefinitionMeaning {
  const name = /name"?: ?"?([\w-]+)/.exec(text)?.[1] ?? "unnamed";
  const node = { columns: [], key: [], reads: [] };
  return {
    name,
    form: "pipeline",
    job: false,
    document: { name, description: text, sources: {}, sinks: {} },
    nodes: [
      { ...node, name: "moved", kind: "source", type: "dataset" },
      { ...node, name: "stored", kind: "sink", type: "blackhole", reads: ["moved"] },
    ],
    abis: [],
    secrets: [],
    subgraphs: [],
  };
}

function running(): RunningPipeline {
  let stop: (end: PipelineEnd) => void = () => undefined;
  const ended = new Promise<PipelineEnd>((resolve) => {
    stop = resolve;
  });
  return {
    ended,
    memory: () => undefined,
    stop: async () => stop({ kind: "stopped" }),
    tap: () => undefined,
  };
}

const parked: ParkedOfSink = {
  sink: "stored",
  total: 1,
  first: [
    {
      source: "moved",
      from: 1,
      to: 1,
      operation: "i",
      reason: "too long",
      key: { id: "1" },
      row: { id: "1" },
      parkedAt: "2026-01-02T03:04:05.000Z",
      droppedAt: null,
    },
  ],
};
const differing: ComparedSink = {
  sink: "stored",
  type: "blackhole",
  ledger: true,
  sources: [],
  unproved: [],
  parked: [],
  rows: { counts: differenceCounts([["missing", 1]]), first: [], notes: [], strays: [], whole: true },
};

function resultOf(task: PipelineTask): PipelineTaskResult {
  switch (task.kind) {
    case "verify":
    case "repair":
      return { kind: task.kind, agrees: task.kind === "repair", sinks: [differing] };
    case "replay":
      return { kind: "replay", rows: 3, overtaken: 0, sent: task.sends };
    case "parked":
      return { kind: "parked", sinks: [parked] };
    default:
      return { kind: task.kind, sinks: [] };
  }
}
