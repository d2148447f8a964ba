import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { graphloom, workplace } from "../cli/harness.js";
import { sharedCache } from "../support/compiler/shared-cache.js";
import { codeBlocks } from "../support/docs/code-blocks.js";
import { pages, root } from "../support/docs/pages.js";
import { shellCommands } from "../support/docs/shell-commands.js";

/** Commands that need only files, and end by themselves. */
const offline =
  /^(?:check|compile|explain|map|schema|docs|cache|completion|diff|init|subgraph init|telemetry status)\b/;
const needsMore =
  /--(?:watch|rpc|deploy)\b|^diff (?:pools|\.\.)\/|^init .*--contract 0x5FbDB|token\.json --abi node_modules/;

const sessions = pages()
  .map(({ path, text }) => ({
    path,
    lines: codeBlocks([{ path, text }])
      .filter(({ language }) => language === "sh")
      .flatMap((block) => shellCommands(block.text))
      .map((words) => words.filter((word) => word !== "npx"))
      .filter(([program]) => program === "graphloom")
      .map(([, ...words]) => words.join(" "))
      .filter((line) => offline.test(line) && !needsMore.test(line)),
  }))
  .filter(({ lines }) => lines.length > 0);

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const configuration = read("examples/demo/subgraph.json").replaceAll("./abis/", "./demo/");

/** The files that the pages assume in the reader's folder. */
function readersFolder(): string {
  const cwd = workplace({
    "subgraph.json": configuration,
    "old.json": configuration,
    "Token.json": read("examples/demo/abis/Token.json"),
    "README.md": "<!-- graphloom map -->\n<!-- /graphloom map -->\n",
    "docs/.keep": "",
  });
  symlinkSync(join(root, "examples/demo/abis"), join(cwd, "demo"));
  symlinkSync(join(root, "examples"), join(cwd, "examples"));
  return cwd;
}

describe("the commands that need only files", () => {
  it("appear on most pages", () => {
    expect(sessions.flatMap(({ lines }) => lines).length).toBeGreaterThan(14);
    expect(sessions.length).toBeGreaterThanOrEqual(5);
  });

  it.each(sessions)("succeed in order: $path", async ({ lines }) => {
    const cwd = readersFolder();
    const env = { ...sharedCache, HOME: cwd };
    const ends = [];
    for (const line of lines) {
      const { code, err } = await graphloom(cwd, line, { env, stdin: configuration });
      ends.push({ line, code, err: code === 0 ? "" : err });
    }
    expect(ends).toEqual(lines.map((line) => ({ line, code: 0, err: "" })));
  });
});
