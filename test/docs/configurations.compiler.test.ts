import { copyFileSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { graphloom, workplace } from "../cli/harness.js";
import { pages, root } from "../support/docs/pages.js";

/** ABIs that the manual's configurations name, by the file's name. */
const abis: Readonly<Record<string, string>> = {
  "Token.json": "examples/demo/abis/Token.json",
  "UniswapV3Factory.json": "examples/uniswap-v3/abis/UniswapV3Factory.json",
  "UniswapV3Pool.json": "examples/uniswap-v3/abis/UniswapV3Pool.json",
  "NounsToken.json": "examples/nouns/abis/NounsToken.json",
};

const found = pages().flatMap(({ path, text }) =>
  [...text.matchAll(/^```json\n(.*?)^```$/gms)]
    .map(([, block = ""]) => block)
    .filter((block) => block.includes('"instances"'))
    .map((block, index) => ({ path, number: index + 1, block })),
);

describe("the configurations of README.md and the manual", () => {
  it("are there", () => {
    expect(found.length).toBeGreaterThanOrEqual(4);
  });

  it.each(found)("are fine: $path, $number", async ({ block }) => {
    const cwd = workplace({ "subgraph.json": block });
    for (const [, path = ""] of block.matchAll(/"path": "([^"]+)"/g)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      copyFileSync(join(root, abis[basename(path)] ?? path), join(cwd, path));
    }
    expect(await graphloom(cwd, "check")).toMatchObject({ code: 0, err: "" });
  });
});
