import { isPipelineName } from "../hosted-pipeline/named-pipeline.js";
import type { RemoteArguments } from "../remote/session.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import * as audits from "./audit-pipeline.js";
import * as hosted from "./hosted-tasks.js";
import type { ParkedOutput } from "./parked/parked-output.js";
import * as parked from "./parked/parked-pipeline.js";
import * as replays from "./replay-pipeline.js";

/** Arguments of a command that works on a pipeline of this machine, or on one of a server. */
type Somewhere<Local extends { readonly configPath: string }> = Omit<Local, "configPath"> &
  RemoteArguments & { readonly nameOrConfigPath: string };

/** Options about what a server has of its own. */
const localOptions = ["rpc", "archive", "state", "var", "database", "data"] as const;

type Handler<Arguments> = (args: Arguments, terminal: Terminal) => Promise<number>;

/**
 * Chooses where a command does its work: a name is a pipeline on the server, and a path a definition on this machine.
 * @throws UsageError for options that a server has no use for
 */
function somewhere<Local extends { readonly configPath: string }, Hosted extends hosted.HostedArguments>(
  local: Handler<Local>,
  onServer: Handler<Hosted>,
): Handler<Somewhere<Local> & Omit<Hosted, "name">> {
  return (args, terminal) => {
    const { nameOrConfigPath: given } = args;
    if (!isPipelineName(given)) return local({ ...args, configPath: given } as unknown as Local, terminal);
    const options = args as Readonly<Record<string, unknown>>;
    const useless = localOptions.find((name) => options[name] !== undefined);
    if (useless !== undefined)
      throw new UsageError(
        `--${useless} is for a definition file, but ${given} is the name of a pipeline on the server. A file is written as a path: ./${given}`,
      );
    return onServer({ ...args, name: given } as unknown as Hosted, terminal);
  };
}

/** `pipeline verify` */
export const verifyPipeline = somewhere(audits.verifyPipeline, hosted.verifyHosted);
/** `pipeline repair` */
export const repairPipeline = somewhere(audits.repairPipeline, hosted.repairHosted);
/** `pipeline adopt` */
export const adoptPipeline = somewhere(audits.adoptPipeline, hosted.adoptHosted);
/** `pipeline replay` */
export const replayPipeline = somewhere(replays.replayPipeline, hosted.replayHosted);
/** `pipeline parked list` */
export const listParked = somewhere<parked.ParkedArguments & ParkedOutput, hosted.HostedParkedArguments>(
  parked.listParked,
  hosted.listHosted,
);
/** `pipeline parked retry` */
export const retryParkedChanges = somewhere(parked.retryParkedChanges, hosted.retryHosted);
/** `pipeline parked drop` */
export const dropParkedChanges = somewhere(parked.dropParkedChanges, hosted.dropHosted);
