import { visible } from "../../base/text/visible.js";
import { PipelineError } from "../../pipelines/changes/pipeline-error.js";
import {
  type FlinkEnd,
  type FlinkListener,
  type FlinkRun,
  runOnFlink,
} from "../../pipelines/host/flink/run-on-flink.js";
import { openFileJob } from "../../pipelines/host/state/kept-jobs.js";
import type { Database } from "../../store/database/database.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { stayingAlive } from "../terminal/staying-alive.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { EngineArguments, FlinkPlaces } from "./flink-places.js";
import { PipelineDisplay } from "./pipeline-display.js";
import { type PipelineArguments, pipelineWorld } from "./pipeline-world.js";
import { type ChangeArguments, settleChanges } from "./settle-changes.js";
import { stateFolder } from "./sources/state-folder.js";
import { StopReport } from "./stop-report.js";

/** Runs a flow on Flink until its sources end or the user interrupts; returns the exit code. */
export async function runPipelineOnFlink(
  flow: FlinkRun["flow"],
  args: PipelineArguments & EngineArguments & FlinkPlaces & ChangeArguments,
  database: Database | undefined,
  terminal: Terminal,
): Promise<number> {
  const display = new PipelineDisplay(terminal, () => performance.now());
  const running = new Set<Promise<void>>();
  const opened = pipelineWorld(flow.plan, args, { database, running, terminal, display });
  const world = {
    ...opened,
    openKeptJob: (name: string) => openFileJob(stateFolder(args.state, terminal), name),
  };
  const run: FlinkRun = {
    flow,
    integers: args.integers,
    gateway: args.gateway,
    from: args["from-snapshot"],
    kafka: kafkaSecret(args.kafka, world.secret),
  };
  terminal.onWriting(true);
  try {
    const own = { ...flow.plan, sinks: flow.own };
    const refused = flow.own.length === 0 ? undefined : await settleChanges(own, args, world, terminal);
    if (refused !== undefined) return refused;
    const stops = new StopReport(terminal.signal, (line) => display.print(line));
    const listener: FlinkListener = {
      onSink: (sink, state) => {
        display.update(sink, state);
        stops.note(sink, state);
      },
      onJob: (_, text) => display.print(`${visible(text)}\n`),
    };
    const end = await stayingAlive(() => runOnFlink(run, world, listener, terminal.signal));
    await Promise.all(running);
    display.end();
    return codeOf(end, stops, terminal);
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error;
    display.end();
    terminal.err(`${visible(error.message)}\n`);
    return error.isTemporary ? exitCodes.remote : exitCodes.diagnostics;
  } finally {
    display.end();
    opened.close();
    terminal.onWriting(false);
  }
}

/** The secret of a cluster, from its brokers or from the name of a secret. @throws UsageError */
function kafkaSecret(given: string, secret: (name: string) => string | undefined): string {
  if (given.includes(":")) return JSON.stringify({ bootstrapServers: given });
  const found = secret(given);
  if (found !== undefined) return found;
  throw new UsageError(
    `--kafka: there is no secret ${visible(given)}. Write <host>:<port>, or the name of a secret.`,
  );
}

/** Reports why the job has stopped; returns the exit code. */
function codeOf({ job }: FlinkEnd, stops: StopReport, terminal: Terminal): number {
  const code = stops.end(terminal.signal.aborted);
  if (job.kind !== "halted") return code;
  if (!(job.error instanceof PipelineError)) throw job.error;
  terminal.err(`Flink has stopped: ${visible(job.error.message)}\n`);
  return job.error.isTemporary ? exitCodes.remote : exitCodes.diagnostics;
}
