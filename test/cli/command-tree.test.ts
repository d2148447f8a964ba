import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { walkCommands } from "../../src/cli/terminal/command-tree.js";
import { exitCodeHelp, exitCodeMeanings, exitCodes } from "../../src/cli/terminal/exit-codes.js";
import { graphloom, workplace } from "./harness.js";

const all = walkCommands(commands.map(({ shape }) => shape)).map(({ path, shape }) => ({
  line: path.join(" "),
  shape,
}));
const leaves = all.filter(({ shape }) => shape.commands.length === 0);

/** What `--help` of each command printed. */
const helps = new Map<string, ReturnType<typeof graphloom>>();

function helpOf(line: string): ReturnType<typeof graphloom> {
  const help = helps.get(line) ?? graphloom(workplace(), `${line} --help`);
  helps.set(line, help);
  return help;
}

describe("every command", () => {
  it("is part of the tree of commands", () => {
    expect(leaves.length).toBeGreaterThan(25);
    expect(all.map(({ line }) => line).sort()).toEqual(commands.flatMap(({ paths }) => paths).sort());
  });

  it.each(leaves)("$line has examples that call it", ({ line, shape }) => {
    expect(shape.examples.length).toBeGreaterThan(0);
    for (const [example, purpose] of shape.examples) {
      expect(example).toMatch(new RegExp(`\\$0 ${line}(?: |$|\\))`));
      expect(purpose).not.toBe("");
    }
  });

  it.each(leaves)("$line --help shows its examples in at most 100 columns", async ({ line }) => {
    const { code, out } = await helpOf(line);
    expect(code).toBe(0);
    expect(out).toContain("Examples:\n");
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  it.each(leaves)("$line --help says what each option does", async ({ line }) => {
    const { out } = await helpOf(line);
    const [options = ""] = out.split("\nExamples:\n");
    // A long name has its description on the next line, further to the right.
    expect(options.match(/^ +(?:-\w, )?--[\w-]+\s*\n(?! {12})/gm)).toBeNull();
  });

  const listing = /^(?:list|list-entities|cache|diff|compare|run|deploy|log|users|status)$/;
  it.each(leaves.filter(({ shape }) => listing.test(shape.word)))("$line can print JSON", ({ shape }) => {
    const { output, format } = shape.options;
    const choices = [...(output?.choices ?? []), ...(format?.choices ?? [])];
    expect(choices).toContain("json");
  });
});

describe("the exit codes", () => {
  it("are the same in the code, in the help and in README.md", async () => {
    expect(Object.keys(exitCodeMeanings)).toEqual(Object.keys(exitCodes));
    const { out } = await graphloom(workplace(), "--help");
    expect(out.replace(/\s+/g, " ")).toContain(exitCodeHelp());
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8").replace(/\s+/g, " ");
    expect(readme).toContain(`${exitCodeHelp()}.`);
  });
});
