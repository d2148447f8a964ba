import type { CommandShape } from "../terminal/command.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { bashScript } from "./bash-script.js";
import { completionTable } from "./completion-table.js";
import { fishScript } from "./fish-script.js";
import { zshScript } from "./zsh-script.js";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** A shell that completion supports. */
export type Shell = keyof typeof scripts;

/** Prints the script that adds completion of these commands to a shell; returns the exit code. */
export async function printCompletion(
  shell: Shell,
  shapes: readonly CommandShape[],
  terminal: Terminal,
): Promise<number> {
  terminal.out(scripts[shell](await completionTable(shapes)));
  return exitCodes.clean;
}
