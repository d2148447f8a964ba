import { visible } from "../../base/text/visible.js";
import { pipelineNamed } from "../hosted-pipeline/named-pipeline.js";
import type { NamedArguments } from "../hosted-pipeline/show-pipelines.js";
import { openSession } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";

/** Cancels a server's task on the sinks of a pipeline; returns the exit code. */
export async function cancelTask(args: NamedArguments, terminal: Terminal): Promise<number> {
  const name = await pipelineNamed(args.nameOrConfigPath, terminal);
  const { pipelines } = await openSession(args, terminal);
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
