import type { Command } from "../../src/cli/terminal/command.js";
import type { Argv, Options } from "../../src/cli/terminal/yargs.js";
import type { DocumentedCommand, DocumentedOption } from "./documented-commands.js";

/** The commands as they define themselves, by their paths: what they tell the parser is noted instead. */
export function definedCommands(commands: readonly Command[]): ReadonlyMap<string, DocumentedCommand> {
  const found = new Map<string, DocumentedCommand>();
  const root = recorder([], found);
  for (const command of commands) command.add(root, () => undefined);
  return found;
}

/** An option as it is defined, in the document's terms. */
export function definedOption({
  type,
  array,
  alias,
  choices,
  default: usual,
  demandOption,
  deprecated,
}: Options): DocumentedOption {
  const [letter] = [alias ?? []].flat();
  return {
    type: (array ? "array" : (type ?? "string")) as DocumentedOption["type"],
    ...(letter !== undefined && { alias: letter }),
    ...(choices && { choices: choices as readonly string[] }),
    ...(usual !== undefined && { default: usual }),
    ...(demandOption && { isRequired: true }),
    ...(deprecated && { isDeprecated: true }),
  };
}

/** Stands for the parser in front of one command: takes what is said, and passes on what is asked below. */
function recorder(path: readonly string[], found: Map<string, DocumentedCommand>): Argv {
  const parser: Argv = new Proxy({} as Argv, {
    get:
      (_, method) =>
      (first: string | Readonly<Record<string, Options>>, ...rest: unknown[]) => {
        if (method === "command") add(first as string, rest[1] as (argv: Argv) => unknown);
        if (method === "options") {
          const own = found.get(path.join(" "));
          const options = Object.entries(first as Readonly<Record<string, Options>>).map(
            ([name, option]) => [name, definedOption(option)] as const,
          );
          if (own) found.set(path.join(" "), { ...own, options: Object.fromEntries(options) });
        }
        return parser;
      },
  });
  function add(words: string, build: (argv: Argv) => unknown): void {
    const [name = "", ...others] = words.split(" ");
    const own = [...path, name];
    found.set(own.join(" "), { arguments: others.join(" "), options: {} });
    const below = found.size;
    build(recorder(own, found));
    // What has commands below it is no command itself.
    if (found.size > below) found.delete(own.join(" "));
  }
  return parser;
}
