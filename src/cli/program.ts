import { resolve } from "node:path";
import { visible, visibleJson } from "../base/text/visible.js";
import { commands } from "./commands.js";
import { bugReport } from "./terminal/bug-report.js";
import { everywhere, type Task } from "./terminal/command.js";
import { isCalled, optionsAt } from "./terminal/command-tree.js";
import { exitCodeHelp, exitCodes } from "./terminal/exit-codes.js";
import { Interrupted } from "./terminal/prompts/prompts.js";
import { systemTrouble } from "./terminal/system-trouble.js";
import type { Terminal } from "./terminal/terminal.js";
import { explainUsage } from "./terminal/usage/explain-usage.js";
import { dashed, globalOptions, repeatable } from "./terminal/usage/options.js";
import { UsageError } from "./terminal/usage/usage-error.js";
import yargs, { type Argv } from "./terminal/usage/yargs.js";

/** The paths of all commands, such as `subgraph deploy`. */
export const commandPaths: readonly string[] = commands.flatMap(({ paths }) => paths);

/**
 * Runs one command line.
 * @param argv the arguments, without the program's name
 * @returns the exit code; this function never throws
 */
export async function run(argv: readonly string[], version: string, terminal: Terminal): Promise<number> {
  const carryOut = (told: Terminal): Promise<number> => runWords(argv, version, told);
  return wantsJson(argv) ? withJsonOutcome(terminal, carryOut) : carryOut(terminal);
}

async function runWords(argv: readonly string[], version: string, terminal: Terminal): Promise<number> {
  try {
    // In a terminal, the program's name alone starts the guide.
    const words = argv.length === 0 && terminal.prompts ? ["init"] : await withConfigFile(argv, terminal.cwd);
    const task = await parse(words, version, terminal);
    return (await task?.(terminal)) ?? exitCodes.clean;
  } catch (error) {
    return failure(error, version, terminal);
  }
}

/** A command line with the options in the file of `--config`. @throws UsageError for a mistake in the file */
async function withConfigFile(argv: readonly string[], cwd: string): Promise<readonly string[]> {
  const [first, ...rest] = argv;
  const at = rest.findIndex((word) => word === "--config" || word.startsWith("--config="));
  const shape = commands.find((one) => one.shape.word === first)?.shape;
  if (first === undefined || at === -1 || !shape?.loadConfigWords) return argv;
  const [, inWord] = rest[at]?.split(/=(.*)/s) ?? [];
  const name = inWord ?? rest[at + 1];
  if (!name || name.startsWith("--")) return argv;
  const configWords = await shape.loadConfigWords();
  return [first, ...configWords(visible(name), resolve(cwd, name), shape.options, rest), ...rest];
}

/**
 * Parses a command line to a task. Help and version are printed at once.
 * @throws UsageError for an invalid command line
 */
export async function parse(
  argv: readonly string[],
  version: string,
  terminal: Terminal,
): Promise<Task | undefined> {
  // Below the top level, `-v` is an unknown option like any other, and `stream` has a different spelling.
  const [first, second = ""] = argv;
  const asksStream = argv.length === 2 && wordOf(first) === "stream" && /^(?:-V|--version)$/.test(second);
  if (argv.join(" ") === "-v" || asksStream) return parse(["--version"], version, terminal);
  let task: Task | undefined;
  const parser = createParser(argv, version, (found) => {
    task = found;
  });
  await parser.parseAsync([...argv], {}, (error, _, output) => {
    if (output === "") return;
    if (error) terminal.err(`${output}\n`);
    else terminal.out(`${output}\n`);
  });
  return task;
}

/** The usual word of the command that a word of the command line stands for, at the top level. */
function wordOf(given: unknown): string | undefined {
  return commands.find(({ shape }) => isCalled(shape, given))?.shape.word;
}

function createParser(argv: readonly string[], version: string, found: (task: Task) => void): Argv {
  const parser = yargs([])
    .scriptName("graphloom")
    .usage(
      "$0 <command>\n\nTurn one configuration file into a complete, compiled subgraph, run it, and deploy it.\n" +
        "In a terminal, graphloom alone asks a few questions and writes that file.",
    ) as Argv;
  for (const command of commands) command.add(parser, found);
  forgoUnusedHelp(parser);
  parser.options(globalOptions);
  // The help shows groups in the order of their creation: those of a command come before this one.
  if (!argv.some((word) => wordOf(word) !== undefined)) everywhere(parser);
  // With a command, it would be a promise to do something with a version.
  const isVersionAsked = !argv.some(
    (word) => word !== "help" && (!word.startsWith("-") || word.startsWith("--version=")),
  );
  if (isVersionAsked)
    parser
      .version("version", "Show the version number; -v does the same on its own", version)
      .group("version", "Global options:");
  else parser.version(false);
  return parser
    .example([...firstExamples])
    .demandCommand(1, "No command given. Try: graphloom subgraph init --from-config subgraph.json")
    .strict()
    .check(refuseRepetition)
    .help()
    .alias({ h: "help" })
    .epilogue(exitCodeHelp())
    .wrap(100)
    .exitProcess(false)
    .fail((message, error, failed) => {
      // yargs reports its own errors as text, or as its own error class; anything else is a bug.
      if (error && error.name !== "YError" && !(error instanceof UsageError)) throw error;
      const found = secretlessMessage(argv, message ?? error?.message ?? null) ?? message ?? error?.message;
      const options = optionsAt(
        argv,
        commands.map(({ shape }) => shape),
      );
      throw explainUsage({ message: found, usage: usageOf(failed), argv, paths: commandPaths, options });
    });
}

/** Tasks that a new user may have, in this order. */
const firstExamples: readonly [string, string][] = [
  ["$0", "create a configuration step by step, in a terminal"],
  ["$0 dev --demo", "see a subgraph at work, without a node or an account"],
  ["$0 check subgraph.json", "report mistakes in a configuration"],
  ["$0 dev subgraph.json --rpc mainnet=https://…", "index it, query it, see every edit at once"],
  ["$0 subgraph deploy pools/1.0.0 --from-abi subgraph.json", "deploy it to a server"],
];

/**
 * The first line of the help of the command or group that failed, such as `graphloom diff <old> <new>`. Rendering the
 * whole help would take longer than everything else for a wrong command line.
 * @param failed the value that yargs passes to its failure handler: its own usage, although typed as a parser
 */
function usageOf(failed: Argv): string {
  const { getUsage } = failed as { getUsage?: () => readonly (readonly [usage: string])[] };
  const [[usage = ""] = []] = getUsage?.() ?? [];
  return (usage.split("\n")[0] ?? "").replaceAll("$0", "graphloom");
}

/** @throws UsageError for a repeated option that takes a single value */
function refuseRepetition(args: Readonly<Record<string, unknown>>): true {
  const [given] = (args._ ?? []) as readonly unknown[];
  const first = wordOf(given);
  const isRepeatable = (name: string): boolean =>
    repeatable.has(dashed(name)) || repeatable.has(`${first} --${dashed(name)}`);
  const twice = Object.keys(args).find(
    (name) => name !== "_" && !isRepeatable(name) && Array.isArray(args[name]),
  );
  if (twice === undefined) return true;
  throw new UsageError(`Pass --${twice} only once.`);
}

const oneWord =
  "Too many arguments. Pass the value as one argument in single quotes, or - for standard input:";

/** Messages for commands whose extra argument may be a key, which must not be shown. */
const secretive: Readonly<Record<string, string>> = {
  login:
    "graphloom login takes no arguments: paste the token when asked, pipe it in, or pass it with --token.",
  compare:
    'graphloom compare takes two addresses, and the options in its help. Pass a header as one argument, in quotes: --header-left "Authorization: Bearer <key>".',
  poi: 'graphloom poi takes one subgraph, and the options in its help. Pass a header as one argument, in quotes: --header "Authorization: Bearer <key>".',
  "secret create": `${oneWord} graphloom secret create --name <name> --value '{"type":…}'`,
  "secret update": `${oneWord} graphloom secret update <name> --value '{"type":…}'`,
};

function secretlessMessage(argv: readonly string[], message: string | null): string | undefined {
  const words = ` ${argv.filter((word) => !word.startsWith("-")).join(" ")} `;
  const command = Object.keys(secretive).find((name) => words.includes(` ${name} `));
  const instead = command === undefined ? undefined : secretive[command];
  return instead !== undefined && message?.startsWith("Unknown argument") !== false ? instead : undefined;
}

/**
 * yargs lays out the help of every command that it runs, to show it with failures after the run. Here failures end
 * the run instead, so this would waste a fifth of the time of a short run.
 */
function forgoUnusedHelp(parser: Argv): void {
  const { getInternalMethods } = parser as { getInternalMethods?: () => YargsInternals };
  const usage = getInternalMethods?.call(parser).getUsageInstance?.();
  if (usage) usage.cacheHelpMessage = () => undefined;
}

/** The internals of yargs used here. */
interface YargsInternals {
  getUsageInstance?(): { cacheHelpMessage(): void };
}

/** Reports an error; returns the exit code. */
function failure(error: unknown, version: string, terminal: Terminal): number {
  if (error instanceof Interrupted) return exitCodes.interrupted;
  if (error instanceof UsageError) {
    terminal.err(error.text);
    return exitCodes.usage;
  }
  const trouble = systemTrouble(error);
  if (trouble !== undefined) {
    terminal.err(trouble);
    return exitCodes.remote;
  }
  terminal.err(bugReport(error, version));
  return exitCodes.internal;
}

/** Whether a command line asks for its results as one JSON document. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const options = end === -1 ? argv : argv.slice(0, end);
  return options.some(
    (word, index) =>
      /^--output(?:-?[Ff]ormat)?=json$/.test(word) ||
      (/^--output(?:-?[Ff]ormat)?$/.test(word) && options[index + 1] === "json"),
  );
}

/**
 * Runs a command in JSON mode, so that standard output always has one JSON document: when the command fails
 * without printing one, the document holds the messages of standard error.
 * @returns the exit code
 */
async function withJsonOutcome(
  terminal: Terminal,
  command: (terminal: Terminal) => Promise<number>,
): Promise<number> {
  let said = "";
  let isPrinted = false;
  const code = await command({
    ...terminal,
    out(text) {
      isPrinted ||= text !== "";
      terminal.out(text);
    },
    err(text) {
      said += text;
      terminal.err(text);
    },
    passing: terminal.passing ?? terminal.err,
  });
  if (code === exitCodes.clean || isPrinted) return code;
  const message = said.trimEnd() || (code === exitCodes.interrupted ? "interrupted" : "failed");
  const document = { error: { message, exit_code: code } };
  terminal.out(`${visibleJson(JSON.stringify(document, null, 2))}\n`);
  return code;
}
