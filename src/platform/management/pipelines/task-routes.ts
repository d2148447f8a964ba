import type { FastifyInstance } from "fastify";
import {
  pipelineTaskOperations as operations,
  type PipelineTaskInfo,
  type SentParked,
  type SentRepair,
  type SentReplay,
  type SentVerify,
} from "../../../api/pipeline-tasks.js";
import { addExtension, type ExtensionAsk } from "../../http/add-extension.js";
import { doerOf } from "../../http/doer-of.js";
import { callerOf } from "../../http/roles.js";
import type { Role } from "../../people/api-keys.js";
import type { PipelineName } from "../../pipelines/pipeline-rows.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { requireOrder } from "../../pipelines/tasks/require-order.js";
import type { KeptTask, TaskRow } from "../../pipelines/tasks/task-rows.js";
import { Problem } from "../../problem.js";

/** The routes of tasks on the state of pipelines. */
export function taskRoutes(app: FastifyInstance, { tasks }: Pipelines): void {
  const named = ({ path: { name = "" }, request }: ExtensionAsk): PipelineName => ({
    project: callerOf(request).project,
    name,
  });
  const begins = (id: keyof typeof operations, role: Role, taskOf: (body: unknown) => KeptTask): void =>
    addExtension(app, operations[id], { role }, async ({ path: { name = "" }, body, request }) => ({
      data: shownTask(await tasks.begin(doerOf(request), name, taskOf(body))),
    }));

  begins("verifyPipeline", "Viewer", (body) => {
    const { sink, ...blocks } = body as SentVerify;
    return { kind: "verify", ...(sink !== undefined && { sink }), ...rangeOf(blocks) };
  });
  begins("repairPipeline", "Editor", (body) => {
    const { sink, trust_source: trustsSource = false, adopt = false, ...blocks } = body as SentRepair;
    return { kind: "repair", sink, trustsSource, ...(adopt && { adopts: true }), ...rangeOf(blocks) };
  });
  begins("replayPipeline", "Editor", (body) => {
    const { sink, from_block: from, to_block: to, count_only: countsOnly = false } = body as SentReplay;
    requireOrder(from, to);
    return { kind: "replay", sink, range: { from, to }, sends: !countsOnly };
  });
  begins("retryParkedChanges", "Editor", (body) => {
    const { sink, key } = body as SentParked;
    return { kind: "retry", ...(sink !== undefined && { sink }), ...(key !== undefined && { key }) };
  });
  begins("dropParkedChanges", "Editor", (body) => {
    const { sink, key } = body as { readonly sink: string; readonly key: Readonly<Record<string, string>> };
    requireKey(key);
    return { kind: "drop", sink, key };
  });
  addExtension(app, operations.cancelPipelineTask, { role: "Viewer" }, async ({ path, request }) => ({
    data: shownTask(await tasks.cancel(doerOf(request), path.name ?? "", path.id ?? "")),
  }));
  addExtension(app, operations.listParkedChanges, { role: "Viewer" }, async (ask) => ({
    data: await tasks.parked(named(ask), ask.query.sink),
  }));
  addExtension(app, operations.listPipelineTasks, { role: "Viewer" }, async (ask) => ({
    data: (await tasks.list(named(ask))).map(shownTask),
  }));
  addExtension(app, operations.getPipelineTask, { role: "Viewer" }, async (ask) => ({
    data: shownTask(await tasks.find(named(ask), ask.path.id ?? "")),
  }));
}

function rangeOf({
  from_block: from,
  to_block: to,
}: Pick<SentVerify, "from_block" | "to_block">): Pick<Extract<KeptTask, { kind: "verify" }>, "range"> {
  if (from === undefined && to === undefined) return {};
  if (from === undefined || to === undefined)
    throw new Problem("bad-request", "Give both blocks of the range, or none.", {
      errors: [{ field: from === undefined ? "from_block" : "to_block", message: "is required" }],
    });
  requireOrder(from, to);
  return { range: { from, to } };
}

/** Without a column, everything that is parked would be dropped. @throws Problem */
function requireKey(key: Readonly<Record<string, string>>): void {
  if (Object.keys(key).length > 0) return;
  throw new Problem("bad-request", "Give the key whose changes are dropped.", {
    errors: [{ field: "key", message: "must have a column" }],
  });
}

function shownTask({
  id,
  task,
  state,
  progress,
  error,
  result,
  cancelledAt,
  createdAt,
  endedAt,
}: TaskRow): PipelineTaskInfo {
  return {
    id,
    task,
    state,
    progress,
    error,
    result: result ?? null,
    cancelled_at: cancelledAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}
