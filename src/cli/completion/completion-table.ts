import type { CommandShape, OptionSet } from "../terminal/command.js";
import { type TreeCommand, walkCommands } from "../terminal/command-tree.js";
import { globalOptions } from "../terminal/usage/options.js";

/** A word that completion offers, and its description. */
export interface Completed {
  readonly word: string;
  readonly describe: string;
}

/** An option as completion sees it. */
export interface CompletedOption {
  /** `--output`, `-t`. */
  readonly names: readonly string[];
  readonly describe: string;
  /** The value of the option: none, one of a few words, or anything, which completes to a file name. */
  readonly value: "none" | "any" | readonly string[];
}

/** What may follow the words of a command. */
export interface CompletedCommand {
  /** The words of the command, separated by spaces; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Completed[];
  /** The possible values of its first argument, if it has a fixed list. */
  readonly values: readonly string[];
  readonly options: readonly CompletedOption[];
}

const help: CompletedOption = { names: ["--help", "-h"], describe: "show help", value: "none" };
const version: CompletedOption = { names: ["--version", "-v"], describe: "show the version", value: "none" };

/** Builds the table from which the scripts for all shells are generated. */
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
