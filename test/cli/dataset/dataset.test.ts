import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { run } from "../../../src/cli/program.js";
import type { Choice, Prompts } from "../../../src/cli/terminal/prompts/prompts.js";
import { catalogOf, groups } from "../../../src/datasets/catalog/catalog.js";
import { describeDataset } from "../../../src/datasets/catalog/describe-dataset.js";
import { findDataset } from "../../../src/datasets/catalog/find-dataset.js";
import { graphloom, workplace } from "../harness.js";
import { memoryTerminal } from "../memory-terminal.js";

const everything = groups.flatMap(catalogOf);

describe("dataset list", () => {
  it("lists all datasets without a terminal", async () => {
    const { code, out } = await graphloom(workplace(), "dataset list");
    const [heading, ...rows] = out.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(heading?.split(/ {2,}/)).toEqual(["NAME", "VERSION", "GROUP", "DESCRIPTION"]);
    expect(rows.map((row) => row.split(" ")[0])).toEqual(everything.map(({ name }) => name));
  });

  it.each(["ethereum", "mainnet", "1"])("lists one group: --group %s", async (group) => {
    const { out } = await graphloom(workplace(), `dataset list --group ${group} --output json`);
    const expected = everything
      .filter((entry) => entry.group === "ethereum")
      .map(({ name, version, dataset: { description } }) => ({
        name,
        version,
        group: "ethereum",
        description,
      }));
    expect(JSON.parse(out)).toEqual(expected);
  });

  it("prints the same as YAML, under both names of the option", async () => {
    const [json, yaml] = await Promise.all(
      ["--output json", "--outputFormat yaml"].map((option) =>
        graphloom(workplace(), `dataset list ${option}`),
      ),
    );
    expect(parse(yaml?.out ?? "")).toEqual(JSON.parse(json?.out ?? ""));
  });

  it("refuses an unknown group, and an unknown format", async () => {
    expect(await graphloom(workplace(), "dataset list --group etherum")).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("Did you mean ethereum?"),
    });
    expect(await graphloom(workplace(), "dataset list --output csv")).toMatchObject({ code: 2, out: "" });
  });

  it("asks in a terminal for a table of a group that is not given, and for nothing else", async () => {
    expect(await atTerminal("dataset list", "base")).toMatchObject({ asked: 1, groups: ["base"] });
    expect((await atTerminal("dataset list", "all")).groups.length).toBe(groups.length);
    expect(await atTerminal("dataset list --group bsc", "base")).toMatchObject({ asked: 0, groups: ["bsc"] });
    expect(await atTerminal("dataset list --output json", "base")).toMatchObject({ asked: 0 });
    const { choices } = await atTerminal("dataset list", "base");
    expect(choices.map(({ value }) => value).sort()).toEqual(
      ["all", ...groups.map(({ prefix }) => prefix)].sort(),
    );
    expect(choices.findIndex(({ value }) => value === "sepolia")).toBeGreaterThan(
      choices.findIndex(({ value }) => value === "zora"),
    );
  });
});

/** Runs a command at a terminal where somebody chooses a value. */
async function atTerminal(
  line: string,
  value: string,
): Promise<{
  readonly asked: number;
  readonly choices: readonly Choice[];
  readonly groups: readonly string[];
}> {
  const offered: (readonly Choice[])[] = [];
  const choose: Prompts["choose"] = async (_, choices) => {
    offered.push(choices);
    return value;
  };
  const terminal = memoryTerminal();
  await run(line.split(" "), "1.2.3", {
    ...terminal,
    outColor: true,
    columns: 200,
    prompts: { choose } as Prompts,
  });
  const rows = terminal.said().trimEnd().split("\n").slice(1);
  const found = new Set(rows.map((row) => row.split(/ {2,}/)[2] ?? ""));
  return { asked: offered.length, choices: offered[0] ?? [], groups: [...found] };
}

describe("dataset get", () => {
  it.each([
    "raw_blocks",
    "raw_transactions",
    "decoded_logs",
    "erc1155_transfers",
  ])("prints %s as YAML and as JSON", async (kind) => {
    const document = describeDataset(findDataset(`ethereum.${kind}`));
    const yaml = await graphloom(workplace(), `dataset get ethereum.${kind}`);
    const json = await graphloom(workplace(), `dataset get ethereum.${kind} --outputFormat json`);
    expect([yaml.code, json.code]).toEqual([0, 0]);
    expect(parse(yaml.out)).toEqual(document);
    expect(JSON.parse(json.out)).toEqual(document);
  });

  it("shows a dataset of a chain on this machine", async () => {
    const { code, out } = await graphloom(workplace(), "dataset get anvil.raw_logs");
    expect(code).toBe(0);
    const { name, chain, columns } = parse(out);
    expect([name, chain.chain_id]).toEqual(["anvil.raw_logs", null]);
    expect(columns).toEqual(describeDataset(findDataset("ethereum.raw_logs")).columns);
    const wrong = await graphloom(workplace(), "dataset get anvil.lgos");
    expect(wrong.err).toContain("anvil, a chain on your machine, has raw_blocks");
  });

  it.each(["-v 1.2.0", "--version 1.2.0", "--version=1.2.0"])("takes a version: %s", async (option) => {
    const { code, out } = await graphloom(workplace(), `dataset get base.erc20_transfers ${option}`);
    expect([code, parse(out).version]).toEqual([0, "1.2.0"]);
  });

  it("refuses an unknown version, dataset or chain", async () => {
    for (const [line, message] of [
      ["base.logs -v 7.0.0", 'base.raw_logs has no version "7.0.0". It has 1.0.0.'],
      ["base.lgos", "Did you mean base.logs?"],
      ["bsae.logs", "Did you mean base.raw_logs?"],
    ])
      expect(await graphloom(workplace(), `dataset get ${line}`)).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining(message as string),
      });
  });

  it("reports mistakes in JSON if JSON was requested", async () => {
    const { out } = await graphloom(workplace(), "dataset get base.lgos --outputFormat json");
    expect(JSON.parse(out).error.message).toContain("Did you mean base.logs?");
  });
});
