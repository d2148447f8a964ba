import { type Command, type CommandShape, command } from "../terminal/command.js";

/**
 * `completion`
 * @param shapes returns all commands, including this one; called when a script is printed
 */
export function completionCommand(shapes: () => readonly CommandShape[]): Command {
  return command({
    name: "completion <shell>",
    describe: "Print a shell completion script for commands, options and their values",
    positionals: {
      shell: {
        choices: ["bash", "zsh", "fish", "powershell"],
        demandOption: true,
        describe: "shell to print the script for",
      },
    },
    examples: [
      ['eval "$($0 completion bash)"', "in ~/.bashrc; for zsh, the same in ~/.zshrc after compinit"],
      ["$0 completion fish > ~/.config/fish/completions/graphloom.fish", "run once"],
      ["$0 completion powershell | Out-String | Invoke-Expression", "in $PROFILE"],
    ],
    load: async () => {
      const { printCompletion } = await import("./print-completion.js");
      return ({ shell }, terminal) => printCompletion(shell, shapes(), terminal);
    },
  });
}
