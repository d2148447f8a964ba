import type { Terminal } from "../terminal/terminal.js";
import type { Argv } from "../terminal/yargs.js";

/** Adds `explain` to the commands. */
export function addExplain(program: Argv, terminal: Terminal, done: (code: number) => void): Argv {
  return program.command(
    "explain [code]",
    "Explain a kind of error, warning or note; without a code, list them all",
    (command) =>
      command
        .positional("code", { type: "string", describe: "the word in brackets, such as unknown-key" })
        .example("$0 explain expression-type", "what to do about error[expression-type]"),
    async ({ code }) => {
      const { explainCode } = await import("./explain-code.js");
      done(explainCode(code, terminal));
    },
  );
}
