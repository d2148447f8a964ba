import { quote } from "../../base/quote.js";
import { suggest } from "../../compiler/diagnostics/suggest.js";
import { UsageError } from "./usage-error.js";

/** Where a command line went wrong. */
export interface UsageFinding {
  /** What the parser says of it. */
  readonly message: string;
  /** The help of the command or group that it belongs to. */
  readonly help: string;
  readonly argv: readonly string[];
  /** The words that lead to each command there is: `subgraph deploy`. */
  readonly paths: readonly string[];
}

/** A wrong command line in a few lines: what is wrong, what was meant perhaps, and where everything is told. */
export function explainUsage({ message, help, argv, paths }: UsageFinding): UsageError {
  const [usage = ""] = help.split("\n");
  const command = usage.replace(/ [<[].*$/, "");
  const unknown = usage.endsWith("<command>") ? unknownWord(message, argv) : undefined;
  const found = unknown === undefined ? message.split("\n") : noSuchCommand(unknown, command, paths);
  return new UsageError(...found, helpLine(command));
}

/** The way to the help of a command, `graphloom compile`. */
export function helpLine(command: string): string {
  return `${command} --help tells more.`;
}

/** The word in place of a command: the first that the parser does not know and that is no option. */
function unknownWord(message: string, argv: readonly string[]): string | undefined {
  const names = /^Unknown arguments?: (.*)$/s.exec(message)?.[1]?.split(", ");
  return argv.find((word) => names?.includes(word));
}

/** How many commands are proposed. */
const mostProposed = 3;

function noSuchCommand(word: string, command: string, paths: readonly string[]): readonly string[] {
  const all = paths.map((path) => `graphloom ${path}`);
  const names = all
    .filter((path) => path.startsWith(`${command} `))
    .map((path) => path.slice(command.length + 1))
    .filter((path) => !path.includes(" "));
  const fact = `${command} has no command ${quote(word)}`;
  const elsewhere = nearest(all.filter((path) => path.endsWith(` ${word}`)));
  if (elsewhere.length > 0)
    return [`${fact}. Did you mean ${elsewhere.slice(0, mostProposed).join(", or ")}?`];
  const [near] = suggest(word, names);
  return near === undefined
    ? [`${fact}; it has ${names.join(", ")}.`]
    : [`${fact}. Did you mean ${command} ${near}?`];
}

/** Those of the fewest words. */
function nearest(paths: readonly string[]): readonly string[] {
  const words = (path: string): number => path.split(" ").length;
  const fewest = Math.min(...paths.map(words));
  return paths.filter((path) => words(path) === fewest);
}
