import { quote } from "../../../base/text/quote.js";
import { suggest } from "../../../base/text/suggest.js";
import { meantCommand, withoutCounterpart } from "./meant-command.js";
import { UsageError } from "./usage-error.js";

/** A wrong command line, as the parser reports it. */
export interface UsageFinding {
  /** The parser's message. */
  readonly message: string;
  /** The first line of the help of the command or group concerned. */
  readonly usage: string;
  readonly argv: readonly string[];
  /** The paths of all commands: `subgraph deploy`. */
  readonly paths: readonly string[];
  /** The options that the command takes, without their dashes. */
  readonly options: readonly string[];
}

/** Explains a wrong command line in a few lines: the mistake, the probable intention, and the command for help. */
export function explainUsage({ message, usage, argv, paths, options }: UsageFinding): UsageError {
  const command = usage.replace(/ [<[].*$/, "");
  const absent = missingValue(message) ?? missingWords(message, usage);
  if (absent !== undefined) return new UsageError(absent, helpLine(command));
  const isGroup = paths.some((path) => `graphloom ${path}`.startsWith(`${command} `));
  const unknown = isGroup ? unknownWord(message, argv, command) : undefined;
  const found =
    unknown === undefined
      ? withNearOption(message, argv, options).split("\n")
      : noSuchCommand(unknown, command, paths);
  return new UsageError(...found, helpLine(command));
}

/** The message about an option without its value. */
function missingValue(message: string): string | undefined {
  const [, name] = /^Not enough arguments following: (\S+)$/.exec(message) ?? [];
  if (name === undefined) return undefined;
  const fact = `${name.length === 1 ? "-" : "--"}${name} needs a value`;
  return name === "from-abi"
    ? `${fact}: the path of a configuration. graphloom init asks a few questions and writes one.`
    : `${fact}.`;
}

/**
 * The message that replaces the parser's count of words.
 * @param usage such as `graphloom diff <before> <after>`
 */
function missingWords(message: string, usage: string): string | undefined {
  const [, got] = /^Not enough non-option arguments: got (\d+), need at least \d+$/.exec(message) ?? [];
  const missing = got === undefined ? [] : (usage.match(/<[^<>]+>/g) ?? []).slice(Number(got));
  if (missing.length === 0) return undefined;
  return `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing: ${usage}`;
}

/** The message about unknown options, with the nearest known one; the parser names some of them twice. */
function withNearOption(message: string, argv: readonly string[], options: readonly string[]): string {
  const names = /^Unknown arguments?: (.*)$/s.exec(message)?.[1]?.split(", ");
  const [wrong, ...more] = names?.filter((name) => isOption(name, argv)) ?? [];
  if (!names || wrong === undefined) return message;
  const others = names.filter((name) => isOption(name, argv) || argv.includes(name));
  const fact = `Unknown argument${others.length === 1 ? "" : "s"}: ${others.join(", ")}`;
  const [near] = more.length === 0 && wrong.length > 1 ? slipsOf(wrong, options) : [];
  const no = argv.includes(`--no-${wrong}`) ? "no-" : "";
  return near === undefined ? fact : `${fact}. Did you mean --${no}${near}?`;
}

function isOption(name: string, argv: readonly string[]): boolean {
  const dashes = name.length === 1 ? "-" : "--";
  return argv.some(
    (word) => word === `${dashes}${name}` || word === `--no-${name}` || word.startsWith(`--${name}=`),
  );
}

/** The line that leads to a command's help. */
export function helpLine(command: string): string {
  return `See ${command} --help.`;
}

/** The unknown command: the first word that the parser does not know and that is not an option. */
function unknownWord(message: string, argv: readonly string[], command: string): string | undefined {
  const names = /^Unknown arguments?: (.*)$/s.exec(message)?.[1]?.split(", ");
  // An unknown option may have the name of a group.
  const left = command.split(" ").slice(1);
  return argv.find((word) => {
    if (word !== left[0]) return names?.includes(word);
    left.shift();
    return false;
  });
}

/** The names that a word may be a typo of. A far-fetched suggestion is worse than none. */
function slipsOf(word: string, names: readonly string[]): readonly string[] {
  return suggest(word, names, Math.max(1, Math.floor(word.length / 3)));
}

/** Limit of proposed commands. */
const mostProposed = 3;

function noSuchCommand(word: string, command: string, paths: readonly string[]): readonly string[] {
  const all = paths.map((path) => `graphloom ${path}`);
  const names = all
    .filter((path) => path.startsWith(`${command} `))
    .map((path) => path.slice(command.length + 1))
    .filter((path) => !path.includes(" "));
  const fact = `${command} has no command ${quote(word)}`;
  const meant = meantCommand(command, word, names);
  if (meant !== undefined) return [`${fact}. Did you mean ${meant}?`];
  const [near] = withoutCounterpart.has(`${command} ${word}`) ? [] : slipsOf(word, names);
  if (near !== undefined) return [`${fact}. Did you mean ${command} ${near}?`];
  const elsewhere = nearest(all.filter((path) => path.endsWith(` ${word}`)));
  if (elsewhere.length > 0)
    return [`${fact}. Did you mean ${elsewhere.slice(0, mostProposed).join(", or ")}?`];
  return [`${fact}; it has ${names.join(", ")}.`];
}

/** The paths with the fewest words. */
function nearest(paths: readonly string[]): readonly string[] {
  const words = (path: string): number => path.split(" ").length;
  const fewest = Math.min(...paths.map(words));
  return paths.filter((path) => words(path) === fewest);
}
