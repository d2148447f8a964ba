import type { CommandShape } from "../terminal/command.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { bashScript, isPlainWord } from "./bash-script.js";
import type { CompletedCommand } from "./completion-table.js";
import { completionTable } from "./completion-table.js";
import { powershellScript } from "./powershell-script.js";
import { zshScript } from "./zsh-script.js";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript } as const;

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

/** A script for fish: `graphloom completion fish > ~/.config/fish/completions/graphloom.fish`. */
function fishScript(table: readonly CompletedCommand[]): string {
  const paths = table.flatMap(({ path }) => (path === "" ? [] : [`'${path}'`]));
  return `# Completion of graphloom for fish. Save as ~/.config/fish/completions/graphloom.fish
function __graphloom_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$at $word")
        contains -- "$next" ${paths.join(" ")}; and set at $next
    end
    test "$at" = "$argv[1]"
end
complete -c graphloom -e
${table.flatMap(lines).join("\n")}
`;
}

function lines({ path, commands, values, options }: CompletedCommand): readonly string[] {
  const here = `complete -c graphloom -n ${quoted(`__graphloom_at ${quoted(path)}`)}`;
  return [
    // Offer no files where a command is expected.
    ...(commands.length > 0 ? [`${here} -f`] : []),
    ...commands.map(({ word, describe }) => `${here} -a ${quoted(word)} -d ${quoted(describe)}`),
    ...(values.length > 0 ? [`${here} -f -a ${quoted(values.filter(isPlainWord).join(" "))}`] : []),
    ...options.flatMap(({ names, describe, value }) => {
      const taken =
        value === "none"
          ? ""
          : value === "any"
            ? " -r -F"
            : ` -x -a ${quoted(value.filter(isPlainWord).join(" "))}`;
      return names.map((name) => {
        const flag = name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
        return `${here} ${flag}${taken} -d ${quoted(describe)}`;
      });
    }),
  ];
}

/** Quotes a word for fish: between single quotes, only backslashes and single quotes are special. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
