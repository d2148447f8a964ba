import { isPipelineName } from "../../hosted-pipeline/named-pipeline.js";
import type { Terminal } from "../../terminal/terminal.js";
import { UsageError } from "../../terminal/usage/usage-error.js";
import type { TaskCommand, TaskPlace } from "./task-place.js";
import { tasksHere } from "./tasks-here.js";
import { tasksOnServer } from "./tasks-on-server.js";

/** Options about what a server has of its own. */
const localOptions = ["rpc", "archive", "state", "var", "database", "data"] as const;

/**
 * Chooses where a command does its work: a name is a pipeline on the server, and a path a definition on this machine.
 * @returns the exit code
 * @throws UsageError for options that a server has no use for
 */
export async function atPlace(
  command: TaskCommand,
  terminal: Terminal,
  work: (place: TaskPlace) => Promise<number>,
): Promise<number> {
  const { nameOrConfigPath: given } = command.args;
  if (!isPipelineName(given)) return tasksHere(command, terminal, work);
  const options = { ...command.args } as Readonly<Record<string, unknown>>;
  const useless = localOptions.find((name) => options[name] !== undefined);
  if (useless !== undefined)
    throw new UsageError(
      `--${useless} is for a definition file, but ${given} is the name of a pipeline on the server. A file is written as a path: ./${given}`,
    );
  return work(await tasksOnServer(given, command.args, terminal));
}
