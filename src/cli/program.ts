import { InternalError } from "../base/invariant.js";
import { addCache } from "./cache/cache-command.js";
import { addCheck } from "./compile/check-command.js";
import { addCompile } from "./compile/compile-command.js";
import { addExplain } from "./compile/explain-command.js";
import { addLogin } from "./login/login-command.js";
import { addRun } from "./run/run-command.js";
import { addSubgraph } from "./subgraph/subgraph-command.js";
import { exitCodes } from "./terminal/exit-codes.js";
import { apiUrlOption, colorOption, repeatable, tokenOption, verboseOption } from "./terminal/options.js";
import type { Terminal } from "./terminal/terminal.js";
import { UsageError } from "./terminal/usage-error.js";
import yargs, { type Argv } from "./terminal/yargs.js";

const exitCodeHelp =
  "Exit codes: 0 done, 1 errors in the configuration or a failed check, 2 wrong usage, " +
  "3 a server refused or cannot be reached, 70 a bug of graphloom";

/**
 * Runs one command line.
 * @param argv the arguments, without the program's name
 * @returns the exit code; nothing is thrown
 */
export async function run(argv: readonly string[], version: string, terminal: Terminal): Promise<number> {
  let code: number = exitCodes.clean;
  const program = commands(argv, version, terminal, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...argv], {}, (error, _, output) => {
      if (output === "") return;
      if (error) terminal.err(`${output}\n`);
      else terminal.out(`${output}\n`);
    });
  } catch (error) {
    return failure(error, version, terminal);
  }
  return code;
}

function commands(
  argv: readonly string[],
  version: string,
  terminal: Terminal,
  done: (code: number) => void,
): Argv {
  const program = yargs([])
    .scriptName("graphloom")
    .usage(
      "$0 <command>\n\nTurns one configuration file into a complete, compiled subgraph, and deploys it.",
    ) as Argv;
  for (const add of [addSubgraph, addCompile, addCheck, addExplain, addRun, addCache, addLogin])
    add(program, terminal, done);
  forgoUnusedHelp(program);
  return program
    .option("color", colorOption)
    .option("token", tokenOption)
    .option("api-url", apiUrlOption)
    .option("verbose", verboseOption)
    .group(["color", "token", "api-url", "verbose", "help", "version"], "Everywhere:")
    .demandCommand(1, "Say what to do, for example: graphloom subgraph init --from-config subgraph.json")
    .strict()
    .check((args) => {
      const twice = Object.keys(args).find(
        (name) => name !== "_" && !repeatable.has(name) && Array.isArray(args[name]),
      );
      if (twice === undefined) return true;
      throw new UsageError(`Give --${twice} once.`);
    })
    .recommendCommands()
    .version(version)
    .help()
    .alias({ h: "help", v: "version" })
    .epilogue(exitCodeHelp)
    .wrap(100)
    .exitProcess(false)
    .fail((message, error, failed) => {
      // yargs's own findings come as a text, or as an error of its own class; anything else is a bug.
      if (error && error.name !== "YError" && !(error instanceof UsageError)) throw error;
      terminal.err(`${argv[0] === "login" ? loginMessage(message) : (message ?? error?.message)}\n\n`);
      failed.showHelp((help) => terminal.err(`${help}\n`));
      throw new UsageError(message);
    });
}

/** What stands beside `login` may be a token, which must not be shown. */
function loginMessage(message: string | null): string {
  return message?.startsWith("Unknown argument") === false
    ? message
    : "graphloom login takes no words: paste the token when asked, pipe it in, or give it with --token.";
}

/**
 * yargs lays out the help of every command that it runs, for failures that are shown after the run. Here they end the
 * run instead, so that this is a fifth of the time of a short one for nothing.
 */
function forgoUnusedHelp(program: Argv): void {
  const { getInternalMethods } = program as { getInternalMethods?: () => YargsInternals };
  const usage = getInternalMethods?.call(program).getUsageInstance?.();
  if (usage) usage.cacheHelpMessage = () => undefined;
}

/** As much as is used of what yargs keeps to itself. */
interface YargsInternals {
  getUsageInstance?(): { cacheHelpMessage(): void };
}

function failure(error: unknown, version: string, terminal: Terminal): number {
  if (error instanceof UsageError) return exitCodes.usage;
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const kind = error instanceof InternalError ? "internal error" : "unexpected failure";
  terminal.err(
    `${kind} in graphloom ${version}: this is a bug of ours, not of your configuration. ` +
      `Please report it with the configuration and these lines:\n${detail}\n`,
  );
  return exitCodes.internal;
}
