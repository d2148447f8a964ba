import type { Command } from "../../src/cli/terminal/command.js";
import type { Argv, Options } from "../../src/cli/terminal/usage/yargs.js";
import type { DocumentedCommand, DocumentedOption } from "./documented-commands.js";

/** The defined commands by path. A recorder in place of the parser notes their definitions. */
export function definedCommands(commands: readonly Command[]): ReadonlyMap<string, DocumentedCommand> {
  const found = new Map<string, DocumentedCommand>();
  const root = recorder([], found);
  for (const command of commands) command.add(root, () => undefined);
  return found;
}

/** Converts a defined option to the document's terms. */
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

/** Replaces the parser for one command: records its definition, and does the same for its subcommands. */
function recorder(path: readonly string[], found: Map<string, DocumentedCommand>): Argv {
  const parser: Argv = new Proxy({} as Argv, {
    get:
      (_, method) =>
      (first: string | readonly string[] | Readonly<Record<string, Options>>, ...rest: unknown[]) => {
        if (method === "command") {
          const [words = ""] = [first as string | readonly string[]].flat();
          add(words, rest[1] as (argv: Argv) => unknown);
        }
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
    // A group of commands is not itself a command.
    if (found.size > below) found.delete(own.join(" "));
  }
  return parser;
}
