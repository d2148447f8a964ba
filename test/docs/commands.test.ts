import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { commandPaths, parse } from "../../src/cli/program.js";
import { walkCommands } from "../../src/cli/terminal/command-tree.js";
import { memoryTerminal } from "../cli/memory-terminal.js";
import { type CodeBlock, codeBlocks, typedIn } from "../support/docs/code-blocks.js";
import { agentPages, pages, proseOf, root } from "../support/docs/pages.js";
import { shellCommands } from "../support/docs/shell-commands.js";

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

const ofExamples = readdirSync(join(root, "examples"))
  .map((name) => `examples/${name}/README.md`)
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
const all = [...pages(), ...ofExamples, ...agentPages()];
const blocks = codeBlocks(all);

/** The languages of code blocks. */
const languages = [
  "sh",
  "console",
  "json",
  "yaml",
  "graphql",
  "js",
  "ts",
  "sql",
  "python",
  "lua",
  "toml",
  "text",
];

/** Other programs that readers run, and that no test runs. */
const others = new Set([
  "cat",
  "cd",
  "chmod",
  "cp",
  "curl",
  "docker",
  "helm",
  "kubectl",
  "export",
  "find",
  "git",
  "graph",
  "kafka-acls.sh",
  "grep",
  "install",
  "jq",
  "less",
  "mkdir",
  "pg_dump",
  "pg_dumpall",
  "pg_restore",
  "psql",
  "systemctl",
  "tar",
]);

/** The commands of a block, as words. */
function commandsOf(block: CodeBlock): readonly (readonly string[])[] {
  if (block.language === "sh") return shellCommands(block.text);
  if (block.language === "console") return typedIn(block).flatMap(({ line }) => shellCommands(line));
  return [];
}

const written = blocks.flatMap((block) =>
  commandsOf(block).map((words) => ({ at: `${block.path}:${block.line}`, line: words.join(" "), words })),
);

/** Fails unless the program's own parser takes the words as a command. */
async function expectToParse(words: readonly string[]): Promise<void> {
  const terminal = memoryTerminal();
  const task = await parse(words, "1.2.3", terminal);
  const shows = words.includes("--help") || words.includes("--version");
  expect([terminal.said() === "", task === undefined]).toEqual([!shows, shows]);
}

/** Fails for npm commands that run a script that the package does not have. */
function expectOfNpm(words: readonly string[]): void {
  const [command = "", script = ""] = words;
  expect(["init", "install", "pack", "test", "run"]).toContain(command);
  if (command === "run") expect(Object.keys(scripts)).toContain(script);
}

describe("the blocks of code", () => {
  it("state their language", () => {
    const unknown = blocks.filter(({ language }) => !languages.includes(language));
    expect(unknown.map(({ path, line, language }) => `${path}:${line} ${language}`)).toEqual([]);
  });

  it("hold commands of graphloom on almost every page of the manual", () => {
    const ours = written.filter(({ words }) => words.includes("graphloom"));
    expect(ours.length).toBeGreaterThan(60);
    expect(new Set(ours.map(({ at }) => at.split(":")[0])).size).toBeGreaterThanOrEqual(10);
  });
});

describe("a command in a block of code", () => {
  it.each(written)("$at can be run: $line", async ({ words: [program = "", ...words] }) => {
    const [name = "", ...rest] = program === "npx" ? words : [program, ...words];
    if (name === "graphloom") await (rest.length > 0 && expectToParse(rest));
    else if (name === "npm") expectOfNpm(rest);
    else if (name === "node") expect(existsSync(join(root, rest[0] ?? ""))).toBe(true);
    else if (program === "npx") expect(existsSync(join(root, "node_modules/.bin", name))).toBe(true);
    else expect(others).toContain(name);
  });
});

describe("a command in a sentence or a table", () => {
  const isLeaf = (path: string): boolean => !commandPaths.some((other) => other.startsWith(`${path} `));
  const mentioned = all.flatMap(({ path, text }) =>
    [...proseOf(text).matchAll(/`(?:npx )?graphloom ([^`\n]+)`/g)].map(([, line = ""]) => ({ path, line })),
  );

  it("is a command of graphloom", () => {
    expect(mentioned.length).toBeGreaterThan(20);
    const wrong = mentioned.filter(({ line }) => {
      const bare = line.replace(/(?: --?[a-z]| ?[<…]).*$/s, "");
      return !commandPaths.some((path) => bare === path || (isLeaf(path) && bare.startsWith(`${path} `)));
    });
    expect(wrong).toEqual([]);
  });

  it("has its script when it runs npm", () => {
    const named = all.flatMap(({ text }) =>
      [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => name),
    );
    expect(named.length).toBeGreaterThan(10);
    // The scripts of a generated project and of the example of a build step.
    const elsewhere = ["codegen", "build", "check"];
    expect(named.filter((name) => !(name in scripts) && !elsewhere.includes(name))).toEqual([]);
  });
});

describe("an example of a command's help", () => {
  const examples = walkCommands(commands.map(({ shape }) => shape)).flatMap(({ shape }) =>
    shape.examples.map(([line]) => line.replaceAll("$0", "graphloom")),
  );

  it.each(examples)("is parsed: %s", async (line) => {
    for (const [program, ...words] of shellCommands(line)) {
      if (program === "graphloom") await expectToParse(words);
    }
  });
});
