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
}

/** A wrong command line in a few lines: what is wrong, what was meant perhaps, and where everything is told. */
export function explainUsage({ message, help, argv }: UsageFinding): UsageError {
  const [usage = ""] = help.split("\n");
  const command = usage.replace(/ [<[].*$/, "");
  const unknown = usage.endsWith("<command>") ? unknownWord(message, argv) : undefined;
  const found = unknown === undefined ? message.split("\n") : noSuchCommand(unknown, command, help);
  return new UsageError(...found, `${command} --help tells more.`);
}

/** The word in place of a command: the first that the parser does not know and that is no option. */
function unknownWord(message: string, argv: readonly string[]): string | undefined {
  const names = /^Unknown arguments?: (.*)$/s.exec(message)?.[1]?.split(", ");
  return argv.find((word) => names?.includes(word));
}

function noSuchCommand(word: string, command: string, help: string): readonly string[] {
  const names = [...help.matchAll(/^ {2}(\S.*?)(?: {2}|$)/gm)].flatMap(([, line = ""]) =>
    line.startsWith(`${command} `) ? (line.slice(command.length + 1).split(" ")[0] ?? []) : [],
  );
  const [near] = suggest(word, names);
  const fact = `${command} has no command ${quote(word)}`;
  return near === undefined
    ? [`${fact}; it has ${names.join(", ")}.`]
    : [`${fact}. Did you mean ${command} ${near}?`];
}
