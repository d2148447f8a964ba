import type { CommandShape, OptionSet } from "../terminal/command.js";
import { type TreeCommand, walkCommands } from "../terminal/command-tree.js";
import { globalOptions } from "../terminal/options.js";

/** A word that may be completed, and what it is for. */
export interface Completed {
  readonly word: string;
  readonly describe: string;
}

/** An option as completion sees it. */
export interface CompletedOption {
  /** `--output`, `-t`. */
  readonly names: readonly string[];
  readonly describe: string;
  /** What follows it: nothing, one of a few words, or anything, which is completed as a file. */
  readonly value: "none" | "any" | readonly string[];
}

/** What may follow the words of a command. */
export interface CompletedCommand {
  /** The words that lead to it, with blanks between them; empty for the program alone. */
  readonly path: string;
  readonly commands: readonly Completed[];
  /** Words of its first argument, where those are given. */
  readonly values: readonly string[];
  readonly options: readonly CompletedOption[];
}

const help: CompletedOption = { names: ["--help", "-h"], describe: "show help", value: "none" };
const version: CompletedOption = { names: ["--version", "-v"], describe: "show the version", value: "none" };

/** The table that scripts of all shells are made of. */
export async function completionTable(shapes: readonly CommandShape[]): Promise<readonly CompletedCommand[]> {
  const root: CompletedCommand = {
    path: "",
    commands: shapes.map(({ word, describe }) => ({ word, describe })),
    values: [],
    options: [...optionsOf(globalOptions), help, version],
  };
  return [root, ...(await Promise.all(walkCommands(shapes).map(completed)))];
}

async function completed({ path, shape }: TreeCommand): Promise<CompletedCommand> {
  return {
    path: path.join(" "),
    commands: shape.commands.map(({ word, describe }) => ({ word, describe })),
    values: shape.positionals[0] ?? (await shape.loadValues?.()) ?? [],
    options: [...optionsOf(shape.options), ...optionsOf(globalOptions), help],
  };
}

function optionsOf(options: OptionSet): readonly CompletedOption[] {
  return Object.entries(options).map(([name, { alias, type, choices, describe, default: usual }]) => {
    const isOn = type === "boolean" && usual === true;
    const names = [name, ...(isOn ? [`no-${name}`] : []), ...[alias ?? []].flat()];
    return {
      names: names.map((one) => (one.length === 1 ? `-${one}` : `--${one}`)),
      describe: describe ?? "",
      value: type === "boolean" ? "none" : (choices?.map(String) ?? "any"),
    };
  });
}
