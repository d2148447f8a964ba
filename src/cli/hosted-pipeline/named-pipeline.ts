import type { PipelinesApi } from "../../api/pipelines-api.js";
import { openSession, type RemoteArguments } from "../remote/session.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { readDefinitionFile } from "./definition-file.js";

export interface NamedArguments extends RemoteArguments {
  readonly nameOrConfigPath: string;
}

/** Whether an argument is the name of a pipeline, and not the path of its definition. */
export function isPipelineName(nameOrPath: string): boolean {
  // Names have none of these characters.
  return nameOrPath !== "-" && !/[./\\]/.test(nameOrPath);
}

/**
 * The name of a pipeline that an argument gives, directly or by the path of its definition.
 * @throws UsageError if it is neither
 */
export async function pipelineNamed(nameOrPath: string, terminal: Terminal): Promise<string> {
  if (isPipelineName(nameOrPath)) return nameOrPath;
  const name = (await readDefinitionFile(nameOrPath, [], terminal))?.name;
  if (name !== undefined) return name;
  throw new UsageError("The definition has no name. Pass the name of the pipeline instead.");
}

/** The name of a pipeline, and the API of its server. @throws UsageError */
export async function openPipeline(
  args: NamedArguments,
  terminal: Terminal,
): Promise<{ readonly name: string; readonly pipelines: PipelinesApi }> {
  const name = await pipelineNamed(args.nameOrConfigPath, terminal);
  const { pipelines } = await openSession(args, terminal);
  return { name, pipelines };
}

/** A version as `-v` gives it. @throws UsageError */
export function versionGiven(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError("--version must be the number of a version, such as 3.");
}
