import type { DesiredStatus, PipelineInfo } from "../../api/pipeline-operations.js";
import { visible } from "../../base/text/visible.js";
import type { RemoteArguments } from "../remote/session.js";
import { confirm, declined } from "../subgraph/confirm.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { monitorPipeline } from "./monitor-pipeline.js";
import { type NamedArguments, openPipeline } from "./named-pipeline.js";
import { snapshotChosen } from "./snapshots.js";

/** Pauses a pipeline; returns the exit code. */
export function pausePipeline(args: NamedArguments, terminal: Terminal): Promise<number> {
  return setStatus(args, "PAUSED", "Paused", terminal);
}

/** Stops a pipeline; returns the exit code. */
export function stopPipeline(args: NamedArguments, terminal: Terminal): Promise<number> {
  return setStatus(args, "INACTIVE", "Stopped", terminal);
}

/** Starts a pipeline that was paused or stopped; returns the exit code. */
export function startPipeline(
  args: NamedArguments & {
    readonly fromSnapshot?: string | undefined;
    readonly useLatestSnapshot?: boolean | undefined;
  },
  terminal: Terminal,
): Promise<number> {
  const snapshot = args.useLatestSnapshot ? "last" : args.fromSnapshot;
  return setStatus(args, "ACTIVE", "Started", terminal, snapshot);
}

/** Arguments of `pipeline restart`. */
export interface RestartArguments extends NamedArguments {
  readonly fromSnapshot: string;
  readonly disableMonitoring: boolean;
}

/** Restarts a pipeline, and shows its progress; returns the exit code. */
export async function restartPipeline(args: RestartArguments, terminal: Terminal): Promise<number> {
  const { name, pipelines } = await openPipeline(args, terminal);
  const snapshot = await snapshotChosen(args.fromSnapshot, name, pipelines, terminal);
  await pipelines.setStatus(name, {
    status: "ACTIVE",
    restart: true,
    ...(snapshot !== undefined && { from_snapshot: snapshot }),
  });
  terminal.out(`Restarted ${visible(name)}.\n`);
  if (args.disableMonitoring || !terminal.isTty) return exitCodes.clean;
  return monitorPipeline({ ...args, nameOrConfigPath: name, updateRequest: false }, terminal);
}

/** Changes the resource size of a pipeline; returns the exit code. */
export async function resizePipeline(
  args: NamedArguments & { readonly resourceSize: string },
  terminal: Terminal,
): Promise<number> {
  const { name, pipelines } = await openPipeline(args, terminal);
  const before = await pipelines.describe(name);
  const after = await pipelines.resize(name, args.resourceSize);
  terminal.out(
    before.resource_size === after.resource_size
      ? `${visible(name)} already has the size ${visible(after.resource_size)}.\n`
      : `Resized ${visible(name)} to ${visible(after.resource_size)}, version ${after.version}.\n`,
  );
  return exitCodes.clean;
}

/** Cancels the change that is under way; returns the exit code. */
export async function cancelUpdate(args: NamedArguments, terminal: Terminal): Promise<number> {
  const { name, pipelines } = await openPipeline(args, terminal);
  const { version } = await pipelines.cancelChange(name);
  terminal.out(`Cancelled. ${visible(name)} has version ${version}.\n`);
  return exitCodes.clean;
}

/** Deletes a pipeline; returns the exit code. */
export async function deletePipeline(
  args: NamedArguments & { readonly force: boolean },
  terminal: Terminal,
): Promise<number> {
  const { name, pipelines } = await openPipeline(args, terminal);
  const question = `Delete the pipeline ${name} and its progress? What its sinks hold stays.`;
  if (!(await confirm(question, args.force, terminal))) return declined(terminal);
  await pipelines.remove(name);
  terminal.out(`Deleted ${visible(name)}.\n`);
  return exitCodes.clean;
}

async function setStatus(
  args: NamedArguments & RemoteArguments,
  status: DesiredStatus,
  done: string,
  terminal: Terminal,
  fromSnapshot?: string,
): Promise<number> {
  const { name, pipelines } = await openPipeline(args, terminal);
  const snapshot = await snapshotChosen(fromSnapshot, name, pipelines, terminal);
  const after: PipelineInfo = await pipelines.setStatus(name, {
    status,
    ...(snapshot !== undefined && { from_snapshot: snapshot }),
  });
  terminal.out(`${done} ${visible(after.name)}.\n`);
  return exitCodes.clean;
}
