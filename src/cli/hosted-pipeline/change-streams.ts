import type { RemoteArguments } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type ApplyArguments, applyPipeline } from "./apply-pipeline.js";
import { deletePipeline, pausePipeline, restartPipeline, startPipeline } from "./change-pipelines.js";
import { inspectStream } from "./inspect/inspect-stream.js";
import type { NamedArguments } from "./named-pipeline.js";

/** Arguments that name a stream, directly or by the file of its definition. */
export interface StreamArguments extends RemoteArguments {
  readonly nameOrConfigPath?: string | undefined;
  readonly file?: string | undefined;
}

/** Rows of each node that `stream apply --inspect` keeps, as many as `stream inspect` by default. */
const bufferSize = 10_000;

/** Creates or changes a stream, and shows its rows on demand; returns the exit code. */
export async function applyStream(
  args: ApplyArguments & { readonly inspect: boolean },
  terminal: Terminal,
): Promise<number> {
  if (args.inspect && args.configPath === "-")
    throw new UsageError(
      "--inspect needs the path of the definition. Standard input can be read only once: run stream inspect afterwards.",
    );
  const code = await applyPipeline(args, terminal);
  if (code !== exitCodes.clean || !args.inspect) return code;
  return inspectStream({ ...args, name: args.configPath, bufferSize, print: false }, terminal);
}

/** Pauses a stream; returns the exit code. */
export async function pauseStream(args: StreamArguments, terminal: Terminal): Promise<number> {
  return pausePipeline(named(args), terminal);
}

/** Starts a stream that is paused or has ended; returns the exit code. */
export async function resumeStream(args: StreamArguments, terminal: Terminal): Promise<number> {
  return startPipeline(named(args), terminal);
}

/** Stops a stream and starts it again; returns the exit code. */
export async function restartStream(
  args: StreamArguments & { readonly clearState: boolean },
  terminal: Terminal,
): Promise<number> {
  const fromSnapshot = args.clearState ? "none" : "last";
  return restartPipeline({ ...named(args), fromSnapshot, disableMonitoring: true }, terminal);
}

/** Deletes a stream; returns the exit code. Asks only in a terminal: scripts of old know no `--force`. */
export async function deleteStream(
  args: NamedArguments & { readonly force: boolean },
  terminal: Terminal,
): Promise<number> {
  return deletePipeline({ ...args, force: args.force || terminal.prompts === undefined }, terminal);
}

/** @throws UsageError unless exactly one of the two names the stream */
function named<Args extends StreamArguments>(args: Args): Args & NamedArguments {
  const { nameOrConfigPath: name, file } = args;
  if (name !== undefined && file !== undefined)
    throw new UsageError("Pass the name of the stream or --file, not both.");
  const given = name ?? file;
  if (given === undefined)
    throw new UsageError("Which stream? Pass its name, or its definition with --file.");
  return { ...args, nameOrConfigPath: asPath(given, name === undefined) };
}

/** A file without a dot or slash in its name would be mistaken for the name of a stream. */
function asPath(given: string, isFile: boolean): string {
  return isFile && given !== "-" && !/[./\\]/.test(given) ? `./${given}` : given;
}
