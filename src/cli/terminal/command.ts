import { helpLine } from "./explain-usage.js";
import type { globalOptions } from "./options.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";
import type { ArgumentsCamelCase, Argv, InferredOptionTypes, Options, PositionalOptions } from "./yargs.js";

/** What a command line asks for, found but not begun; it gives the exit code. */
export type Task = (terminal: Terminal) => Promise<number>;

/** A command, or a group of them. */
export interface Command {
  /** Adds it to the program or to a group. */
  add(parent: Argv, found: (task: Task) => void): Argv;
  /** The words that lead to it and to what is in it: `tag`, `tag create`. */
  readonly paths: readonly string[];
}

/** Carries out a command with the arguments it was given; the exit code. */
export type Handler<Arguments> = (args: Arguments, terminal: Terminal) => number | Promise<number>;

/** Loads what carries out a command, which is done for no other command. */
export type Load<Arguments> = () => Promise<Handler<Arguments>>;

type Positionals = Readonly<Record<string, PositionalOptions>>;
type OptionSet = Readonly<Record<string, Options>>;
type None = Readonly<Record<never, never>>;

/** What is given for such options, and for those of every command. */
type Given<O extends OptionSet> = ArgumentsCamelCase<InferredOptionTypes<O & typeof globalOptions>>;

/** A command: what it is called, what it takes, how its help explains it, and what carries it out. */
export interface CommandSpec<P extends Positionals, O extends OptionSet> {
  /** Its name, and its positional arguments: `delete <nameAndVersion>`. */
  readonly name: string;
  /** What it does, in a line. */
  readonly describe: string;
  readonly positionals?: P;
  readonly options?: O;
  /** Headings, in their order, and the options below them. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** Command lines with `$0` for the program, and what they are good for. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  /** What stands below the help. */
  readonly epilogue?: string;
  readonly load: Load<Given<NoInfer<P & O>>>;
}

/** A command whose handler takes what its options say. */
export function command<const P extends Positionals = None, const O extends OptionSet = None>(
  spec: CommandSpec<P, O>,
): Command {
  return {
    paths: [wordOf(spec.name)],
    add: (parent, found) =>
      parent.command(
        spec.name,
        spec.describe,
        // The parser's own chain of types is left here; what it parses is what the options say.
        (parser) => declare(parser, spec) as Argv<InferredOptionTypes<P & O & typeof globalOptions>>,
        (args) => found((terminal) => namingHelp(args._, async () => (await spec.load())(args, terminal))),
      ) as Argv,
  };
}

function wordOf(name: string): string {
  return name.replace(/ .*$/s, "");
}

/**
 * Has what a command cannot mean lead to its help.
 * @param words what the command is called
 */
async function namingHelp<Result>(
  words: readonly (string | number)[],
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof UsageError ? error.ending(helpLine(["graphloom", ...words].join(" "))) : error;
  }
}

function declare<P extends Positionals, O extends OptionSet>(parser: Argv, spec: CommandSpec<P, O>): Argv {
  const { positionals = {}, options = {}, groups = {}, examples, epilogue } = spec;
  for (const [name, positional] of Object.entries<PositionalOptions>(positionals))
    parser.positional(name, positional);
  parser.options(options);
  for (const [heading, names] of Object.entries(groups)) parser.group(names, heading);
  for (const [line, purpose] of examples) parser.example(line, purpose);
  return epilogue === undefined ? parser : parser.epilogue(epilogue);
}

/** A word that other commands stand behind. */
export interface GroupSpec {
  readonly name: string;
  /** What it holds, in a line. */
  readonly describe: string;
  /** How its help begins, with `$0` for the program. */
  readonly usage: string;
  /** What to answer to the word alone. */
  readonly demand: string;
  readonly commands: readonly Command[];
}

/** A group of commands. */
export function group({ name, describe, usage, demand, commands }: GroupSpec): Command {
  return {
    paths: [name, ...commands.flatMap(({ paths }) => paths).map((path) => `${name} ${path}`)],
    add: (parent, found) =>
      parent.command(name, describe, (parser) => {
        for (const command of commands) command.add(parser as Argv, found);
        return parser.usage(usage).demandCommand(1, demand);
      }),
  };
}
