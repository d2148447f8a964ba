import { present } from "../../../base/invariant.js";
import { visible } from "../../../base/text/visible.js";
import type { AuditWorld } from "../../../pipelines/audit/audit-sink.js";
import type { Ports } from "../../../pipelines/host/open-ports.js";
import type { PipelinePlan } from "../../../pipelines/plan/pipeline-plan.js";
import { isPassing, knownError } from "../../../pipelines/tasks/known-error.js";
import {
  isParkedTask,
  type PipelineTask,
  type PipelineTaskResult,
  performParkedTask,
  performTask,
  type TaskRun,
} from "../../../pipelines/tasks/pipeline-task.js";
import type { Database } from "../../../store/database/database.js";
import { reportDiagnostics } from "../../compile/report-diagnostics.js";
import { exitCodes } from "../../terminal/exit-codes.js";
import type { Terminal } from "../../terminal/terminal.js";
import { UsageError } from "../../terminal/usage/usage-error.js";
import { PipelineDisplay } from "../pipeline-display.js";
import { auditWorld, parkedWorld } from "../pipeline-world.js";
import { withPlan } from "../with-plan.js";
import type { TaskCommand, TaskHooks, TaskPlace } from "./task-place.js";

/** What is listed of a sink: nothing is shortened but the rows, which the sink has to find. */
const bounds = { rows: 1_000, items: Number.POSITIVE_INFINITY };

/** Plans a definition, and does the work of a command with tasks that run in this process; returns the exit code. */
export function tasksHere(
  command: TaskCommand,
  terminal: Terminal,
  work: (place: TaskPlace) => Promise<number>,
): Promise<number> {
  const { args, format } = command;
  const { nameOrConfigPath: configPath, color } = args;
  return withPlan({ ...args, configPath }, terminal, async ({ plan, report }, database) => {
    reportDiagnostics(report.diagnostics, { format: format(plan !== undefined), color }, terminal);
    if (!plan) return exitCodes.diagnostics;
    return work((task, hooks) => runHere(plan, task, hooks, { command, terminal, database }));
  });
}

/** What a command has opened. */
interface Opened {
  readonly command: TaskCommand;
  readonly terminal: Terminal;
  readonly database: Database | undefined;
}

/** Runs a task. @throws UsageError if the pipeline has no such sink, or a chain has no node */
async function runHere(
  plan: PipelinePlan,
  task: PipelineTask,
  { onSink, confirm }: TaskHooks,
  { command, terminal, database }: Opened,
): Promise<PipelineTaskResult | number> {
  checkSink(plan, task.sink);
  const { signal } = terminal;
  const display = new PipelineDisplay(terminal, () => performance.now());
  const { args, reading } = command;
  const audited = reading && auditWorld(plan, reading, { terminal, display, database });
  const ports: AuditWorld & Ports = audited ?? parkedWorld(plan, args, { terminal, display });
  const run: TaskRun = {
    onProgress: (text) => display.wait(visible(text)),
    onSink: (found) => {
      display.end();
      if (!signal.aborted) onSink?.(found);
    },
    ...(confirm && {
      confirm: (counts) => {
        display.end();
        return confirm(counts);
      },
    }),
    signal,
    bounds,
  };
  terminal.onWriting(task.kind !== "verify" && task.kind !== "parked");
  try {
    const running = isParkedTask(task)
      ? performParkedTask(plan, task, ports, run)
      : performTask(plan, task, present(audited, "how sources are read"), run);
    const result = await running.catch(knownError);
    display.end();
    if (signal.aborted) return exitCodes.interrupted;
    if (!(result instanceof Error)) return result;
    terminal.err(`${visible(result.message)}\n`);
    return isPassing(result) ? exitCodes.remote : exitCodes.diagnostics;
  } finally {
    display.end();
    ports.close();
    terminal.onWriting(false);
  }
}

/** @throws UsageError if there is no sink of the name */
function checkSink({ sinks }: PipelinePlan, name: string | undefined): void {
  const names = sinks.map((sink) => sink.name);
  if (name === undefined || names.includes(name)) return;
  throw new UsageError(
    `--sink: there is no sink ${visible(name)}. There are ${names.map(visible).join(", ")}.`,
  );
}
