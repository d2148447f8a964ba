import type { PipelineTaskInfo } from "../../../api/pipeline-tasks.js";
import type { PipelinesApi } from "../../../api/pipelines-api.js";
import { visible } from "../../../base/text/visible.js";
import { pause } from "../../../machine/world.js";
import type { PipelineTask, PipelineTaskResult } from "../../../pipelines/tasks/pipeline-task.js";
import { type NamedArguments, openPipeline } from "../../hosted-pipeline/named-pipeline.js";
import { openSession, type RemoteArguments } from "../../remote/session.js";
import { exitCodes } from "../../terminal/exit-codes.js";
import type { Terminal } from "../../terminal/terminal.js";
import { PipelineDisplay } from "../pipeline-display.js";
import type { TaskPlace } from "./task-place.js";

/** Milliseconds between two looks at a task. */
const interval = 500;

/** Tasks on a pipeline of a server. */
export async function tasksOnServer(
  name: string,
  args: RemoteArguments,
  terminal: Terminal,
): Promise<TaskPlace> {
  const { pipelines } = await openSession(args, terminal);
  const run = async (task: PipelineTask): Promise<PipelineTaskResult | number> =>
    task.kind === "parked"
      ? { kind: "parked", sinks: await pipelines.parked(name, task.sink) }
      : ended(name, await begin(name, task, pipelines), pipelines, terminal);
  return async (task, { onSink, confirm }) => {
    if (task.kind === "replay" && confirm) {
      const counted = await run({ ...task, sends: false });
      if (typeof counted === "number" || counted.kind !== "replay") return counted;
      if (counted.rows === 0 || !(await confirm(counted))) return counted;
    }
    const done = await run(task);
    if (onSink && typeof done !== "number" && "agrees" in done) done.sinks.forEach(onSink);
    return done;
  };
}

function begin(
  name: string,
  task: Exclude<PipelineTask, { readonly kind: "parked" }>,
  pipelines: PipelinesApi,
): Promise<PipelineTaskInfo> {
  const { sink } = task;
  switch (task.kind) {
    case "verify":
      return pipelines.verify(name, { sink, ...blocks(task) });
    case "repair": {
      const { trustsSource: trust_source, adopts: adopt = false } = task;
      return pipelines.repair(name, { sink: task.sink, trust_source, adopt, ...blocks(task) });
    }
    case "replay": {
      const { from: from_block, to: to_block } = task.range;
      return pipelines.replay(name, { sink: task.sink, from_block, to_block, count_only: !task.sends });
    }
    case "retry":
      return pipelines.retryParked(name, { sink, key: task.key });
    case "drop":
      return pipelines.dropParked(name, { sink: task.sink, key: task.key });
  }
}

function blocks({ range }: Extract<PipelineTask, { readonly kind: "verify" | "repair" }>) {
  return range && { from_block: range.from, to_block: range.to };
}

/** Waits for the end of a task. @returns its result, or the exit code once the reason is printed why there is none */
async function ended(
  name: string,
  begun: PipelineTaskInfo,
  pipelines: PipelinesApi,
  terminal: Terminal,
): Promise<PipelineTaskResult | number> {
  const display = new PipelineDisplay(terminal, () => performance.now());
  try {
    let info = begun;
    while (info.state === "running") {
      const { progress } = info;
      if (progress !== null) display.wait(visible(progress));
      await pause(interval, terminal.signal);
      if (terminal.signal.aborted) {
        display.end();
        terminal.err(
          `It goes on. The page of ${visible(name)} on the server shows the outcome. To end it: graphloom pipeline cancel-task ${visible(name)}\n`,
        );
        return exitCodes.interrupted;
      }
      info = await pipelines.task(name, info.id);
    }
    display.end();
    if (info.state === "done" && info.result !== null) return info.result as PipelineTaskResult;
    const { progress } = info;
    const said = progress === null ? "" : ` It said last: ${progress}`;
    const why =
      info.state === "cancelled" ? `It was cancelled. What it had done stays done.${said}` : info.error;
    terminal.err(`${visible(why ?? "It has failed.")}\n`);
    return exitCodes.diagnostics;
  } finally {
    display.end();
  }
}

/** Cancels a server's task on the sinks of a pipeline; returns the exit code. */
export async function cancelTask(args: NamedArguments, terminal: Terminal): Promise<number> {
  const { name, pipelines } = await openPipeline(args, terminal);
  const running = (await pipelines.tasks(name)).find(({ state }) => state === "running");
  if (!running) {
    terminal.err(`No task of ${visible(name)} is under way.\n`);
    return exitCodes.diagnostics;
  }
  const { task } = await pipelines.cancelTask(name, running.id);
  const of = task.sink === undefined ? "" : ` of ${visible(task.sink)}`;
  terminal.out(`The ${task.kind}${of} ends within seconds. What it has done stays done.\n`);
  return exitCodes.clean;
}
