import type { CommandShape } from "./command.js";
import { globalOptions } from "./usage/options.js";

/** A command with the words that lead to it: `subgraph`, `tag`, `create`. */
export interface TreeCommand {
  readonly path: readonly string[];
  readonly shape: CommandShape;
}

/** All commands and groups, each before those below it. */
export function walkCommands(
  shapes: readonly CommandShape[],
  above: readonly string[] = [],
): readonly TreeCommand[] {
  return shapes.flatMap((shape) => {
    const path = [...above, shape.word];
    return [{ path, shape }, ...walkCommands(shape.commands, path)];
  });
}

/** Whether a word on the command line stands for a command: its name, or another word for it. */
export function isCalled({ word, aliases = [] }: CommandShape, given: unknown): boolean {
  return given === word || aliases.some((alias) => alias === given);
}

/** The names of the options that a command line's command takes, without dashes. */
export function optionsAt(argv: readonly string[], shapes: readonly CommandShape[]): readonly string[] {
  let found: CommandShape | undefined;
  for (const word of argv) {
    const next = (found?.commands ?? shapes).find((shape) => isCalled(shape, word));
    if (next) found = next;
  }
  return [...Object.keys(found?.options ?? {}), ...Object.keys(globalOptions), "help"];
}
