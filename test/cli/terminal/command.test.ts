import { describe, expect, it } from "vitest";
import yargs from "yargs";
import { command, type Task } from "../../../src/cli/terminal/command.js";
import { memoryTerminal } from "../memory-terminal.js";

describe("a command", () => {
  it.each([
    ["read -", ["-", undefined]],
    ["read - -", ["-", "-"]],
    ["read - --quiet", ["-", undefined]],
    ["read file -", ["file", "-"]],
  ])("takes - as standard input: %s", async (line, expected) => {
    const given: unknown[] = [];
    const read = command({
      name: "read <from> [to]",
      describe: "Read",
      positionals: { from: { type: "string", demandOption: true }, to: { type: "string" } },
      options: { quiet: { type: "boolean" } },
      examples: [],
      load: async () => (args) => {
        given.push(args.from, args.to);
        return 0;
      },
    });
    let task: Task | undefined;
    const found = (one: Task) => {
      task = one;
    };
    await read.add(yargs(), found).parse(line);
    await task?.(memoryTerminal());
    expect(given).toEqual(expected);
  });
});
