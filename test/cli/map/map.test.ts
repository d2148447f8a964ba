import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { elementsOf, parseXml, textOf } from "../../support/server/xml.js";
import { config, graphloom, workplace } from "../harness.js";

const examples = join(import.meta.dirname, "../../../examples");
const golden = join(import.meta.dirname, "uniswap-v3.svg");

describe("map", () => {
  it("draws the Uniswap example exactly like the reviewed drawing", async () => {
    const { code, out, err } = await graphloom(join(examples, "uniswap-v3"), "map subgraph.json");
    expect([code, err]).toEqual([0, ""]);
    if (process.env.UPDATE_GOLDEN === "1") writeFileSync(golden, out);
    expect(out).toBe(readFileSync(golden, "utf8"));
  });

  it("shows which entities an event stores, and which event creates contracts", async () => {
    const { out } = await graphloom(join(examples, "uniswap-v3"), "map subgraph.json");
    const root = parseXml(out);
    const names = elementsOf(root, "text").map(textOf);
    for (const name of ["UniswapV3Factory", "UniswapV3Pool", "Pool", "PoolCreated", "SwapVolume"]) {
      expect(
        names.filter((text) => text === name),
        name,
      ).toHaveLength(1);
    }
    const told = textOf(elementsOf(root, "desc")[0] ?? root);
    expect(told).toMatch(/event PoolCreated\([^)]*\) stores PoolCreated, Pool and creates UniswapV3Pool/);
    const creations = elementsOf(root, "path").filter((path) => path.attributes.has("marker-end"));
    expect(creations).toHaveLength(1);
  });

  it("writes to a file, but overwrites only its own drawings", async () => {
    const cwd = workplace({ "c.json": config(), "notes.svg": "mine" });
    const first = await graphloom(cwd, "map c.json --output map.svg");
    expect([first.code, first.out, first.err]).toEqual([0, "", ""]);
    const drawing = readFileSync(join(cwd, "map.svg"), "utf8");
    expect(drawing).toContain(">Token<");
    expect((await graphloom(cwd, "map c.json --output map.svg")).code).toBe(0);
    expect(readFileSync(join(cwd, "map.svg"), "utf8")).toBe(drawing);
    const refused = await graphloom(cwd, "map c.json --output notes.svg");
    expect([refused.code, refused.err]).toEqual([
      1,
      "notes.svg cannot be written: a file with this name already exists, and graphloom did not write it\n",
    ]);
    expect(readFileSync(join(cwd, "notes.svg"), "utf8")).toBe("mine");
    const nowhere = await graphloom(cwd, "map c.json --output no/folder/map.svg");
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining("ENOENT")]);
  });

  it.each([
    "x.png",
    "x.mmd",
    "c.json",
    "folder/X.PDF",
  ])("rejects an output file that is not an .svg file: %s", async (file) => {
    const cwd = workplace({ "c.json": config() });
    const { code, out, err } = await graphloom(cwd, `map c.json --output ${file}`);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining("the file name must end in .svg")]);
    expect(readdirSync(cwd)).toEqual(["c.json"]);
    expect(readFileSync(join(cwd, "c.json"), "utf8")).toBe(config());
  });

  it("describes the drawing in text", async () => {
    const { out } = await graphloom(workplace({ "c.json": config() }), "map c.json");
    const told = textOf(elementsOf(parseXml(out), "desc")[0] ?? parseXml(out));
    expect(told.split("\n")).toEqual([
      "Contracts: 1. Events and calls: 1. Entity types: 1.",
      expect.stringMatching(/^Token: event Transfer.* stores Transfer\.$/),
    ]);
  });

  it("reports the errors of an invalid configuration and draws nothing", async () => {
    const cwd = workplace({ "c.json": config({ version: "7" }) });
    const { code, out, err } = await graphloom(cwd, "map c.json");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("error[");
  });
});
