import type { Terminal } from "./terminal.js";
import { helpLine } from "./usage/explain-usage.js";
import { globalOptions } from "./usage/options.js";
import { UsageError } from "./usage/usage-error.js";
import type {
  ArgumentsCamelCase,
  Argv,
  InferredOptionTypes,
  Options,
  PositionalOptions,
} from "./usage/yargs.js";

/** A parsed command line, ready to run; it resolves to the exit code. */
export type Task = (terminal: Terminal) => Promise<number>;

/** The definition of a command or group, for help, completion and tests. */
export interface CommandShape {
  /** Its word on the command line. */
  readonly word: string;
  /** Other words for the same command. */
  readonly aliases?: readonly string[];
  readonly describe: string;
  /** In order, each with its choices, if any. */
  readonly positionals: readonly (readonly string[] | undefined)[];
  /** Loads the possible values of its first argument, when they are too many to list here. */
  readonly loadValues?: () => Promise<readonly string[]>;
  readonly options: OptionSet;
  /** Loads what reads the file of `--config`, for a command that takes options from a file. */
  readonly loadConfigWords?: () => Promise<ConfigWords>;
  readonly examples: CommandSpec<Positionals, OptionSet>["examples"];
  /** The commands of a group; empty for a command. */
  readonly commands: readonly CommandShape[];
}

/**
 * Reads options of a command from a file.
 * @param name the file's name in messages
 * @param given the rest of the command line, whose options take precedence
 * @returns the words that the options stand for
 * @throws UsageError for a mistake in the file
 */
export type ConfigWords = (
  name: string,
  path: string,
  options: OptionSet,
  given: readonly string[],
) => readonly string[];

/** A command, or a group of them. */
export interface Command {
  readonly shape: CommandShape;
  /**
   * Adds it to the program or to a group.
   * @param isUsual whether the group runs it if no subcommand is given
   */
  add(parent: Argv, found: (task: Task) => void, isUsual?: boolean): Argv;
  /** Paths of the command and its subcommands: `tag`, `tag create`. */
  readonly paths: readonly string[];
}

/** Runs a command with its arguments; resolves to the exit code. */
export type CommandHandler<Arguments> = (args: Arguments, terminal: Terminal) => number | Promise<number>;

/** Loads the handler of a command; only the requested command's is loaded. */
export type Load<Arguments> = () => Promise<CommandHandler<Arguments>>;

type Positionals = Readonly<Record<string, PositionalOptions>>;
/** Options by name. */
export type OptionSet = Readonly<Record<string, Options>>;
type None = Readonly<Record<never, never>>;

/** The parsed arguments of these options, and of the global ones. */
type Given<O extends OptionSet> = ArgumentsCamelCase<InferredOptionTypes<O & typeof globalOptions>>;

/** The definition of a command: name, options, help and handler. */
export interface CommandSpec<P extends Positionals, O extends OptionSet> {
  /** Its name, and its positional arguments: `delete <nameAndVersion>`. */
  readonly name: string;
  /** Description in one line. */
  readonly describe: string;
  readonly positionals?: P;
  readonly options?: O;
  /** Headings of the help, in order, and the options below them. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** Command lines with `$0` for the program, and their purposes. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  /** Loads the possible values of its first argument for completion, when they are too many to list here. */
  readonly loadValues?: () => Promise<readonly string[]>;
  /** Loads what reads the file of `--config`. */
  readonly loadConfigWords?: () => Promise<ConfigWords>;
  /** Text below the help. */
  readonly epilogue?: string;
  readonly load: Load<Given<NoInfer<P & O>>>;
}

/** Defines a command, whose handler's arguments are inferred from its options. */
export function command<const P extends Positionals = None, const O extends OptionSet = None>(
  spec: CommandSpec<P, O>,
): Command {
  return {
    paths: [wordOf(spec.name)],
    shape: {
      word: wordOf(spec.name),
      describe: spec.describe,
      positionals: Object.values<PositionalOptions>(spec.positionals ?? {}).map(({ choices }) =>
        choices?.map(String),
      ),
      ...(spec.loadValues && { loadValues: spec.loadValues }),
      options: spec.options ?? {},
      ...(spec.loadConfigWords && { loadConfigWords: spec.loadConfigWords }),
      examples: spec.examples,
      commands: [],
    },
    add: (parent, found, isUsual) =>
      parent.command(
        isUsual ? [spec.name, "$0"] : spec.name,
        spec.describe,
        // yargs's own inferred types are dropped here; the options decide the parsed arguments.
        (parser) => declare(parser, spec) as Argv<InferredOptionTypes<P & O & typeof globalOptions>>,
        (args) => found((terminal) => namingHelp(args._, async () => (await spec.load())(args, terminal))),
      ) as Argv,
  };
}

function wordOf(name: string): string {
  return name.replace(/ .*$/s, "");
}

/**
 * Adds the command's help to its usage errors.
 * @param words the command's path
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
    parser.positional(name, { ...(positional.type === "string" && keepDash), ...positional });
  // A command that takes the version of something does not show the program's.
  if ("version" in options) parser.version(false);
  parser.options(options);
  for (const [heading, names] of Object.entries(groups)) parser.group(names, heading);
  const grouped = new Set(Object.values(groups).flat());
  parser.group(
    Object.keys(options).filter((name) => !grouped.has(name)),
    "Options:",
  );
  everywhere(parser, options);
  for (const [line, purpose] of examples) parser.example(line, purpose);
  return epilogue === undefined ? parser : parser.epilogue(epilogue);
}

/** yargs parses `-` as an empty string, which would be the path of a folder instead of standard input. */
const keepDash = {
  coerce: <Value>(given: Value): Value | "-" => (given === "" ? "-" : given),
};

/**
 * Lists the global options below the command's own options, except options that the command declares itself.
 */
export function everywhere<P extends Argv>(parser: P, own: OptionSet = {}): P {
  const names = [...Object.keys(globalOptions), "help"].filter((name) => !(name in own));
  parser.group(names, "Global options:");
  return parser;
}

/** The definition of a group of commands. */
export interface GroupSpec {
  readonly name: string;
  /** Other words for the group. */
  readonly aliases?: readonly string[];
  /** Description in one line. */
  readonly describe: string;
  /** First line of the help, with `$0` for the program. */
  readonly usage: string;
  /** The message when no subcommand is given, or the word of the command to run then. */
  readonly demand: string | { readonly usual: string };
  readonly commands: readonly Command[];
}

/** Defines a group of commands. */
export function group({ name, aliases = [], describe, usage, demand, commands }: GroupSpec): Command {
  return {
    paths: [name, ...commands.flatMap(({ paths }) => paths).map((path) => `${name} ${path}`)],
    shape: {
      word: name,
      aliases,
      describe,
      positionals: [],
      options: {},
      examples: [],
      commands: commands.map(({ shape }) => shape),
    },
    add: (parent, found) =>
      parent.command([name, ...aliases], describe, (parser) => {
        const usual = typeof demand === "string" ? undefined : demand.usual;
        for (const command of commands) command.add(parser as Argv, found, command.shape.word === usual);
        // Options declared here are also listed for the commands below.
        const own = Object.assign({}, ...commands.map(({ shape }) => shape.options)) as OptionSet;
        const whole = everywhere(parser as Argv, own).usage(usage);
        return typeof demand === "string" ? whole.demandCommand(1, demand) : whole;
      }),
  };
}
