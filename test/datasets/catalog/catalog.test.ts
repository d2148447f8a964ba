import { describe, expect, it } from "vitest";
import { chains } from "../../../src/chains/chains.js";
import { catalogOf, groups } from "../../../src/datasets/catalog/catalog.js";
import { describeDataset } from "../../../src/datasets/catalog/describe-dataset.js";
import { findDataset, findGroup, UnknownDatasetError } from "../../../src/datasets/catalog/find-dataset.js";
import { datasetKinds } from "../../../src/datasets/tables/dataset.js";

const entries = groups.flatMap(catalogOf);

function refusal(find: () => unknown): string {
  try {
    find();
  } catch (error) {
    expect(error).toBeInstanceOf(UnknownDatasetError);
    return (error as Error).message;
  }
  return "found";
}

describe("the catalogue", () => {
  it("lists every kind of dataset on every chain, each name once", () => {
    const names = entries.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(entries.length).toBe(chains.length * datasetKinds.length);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(["ethereum.raw_logs", "matic.logs", "gnosis.erc20_transfers"]),
    );
  });

  it("finds every dataset by its name, its aliases and its versions", () => {
    for (const { name, aliases, versions } of entries) {
      for (const one of [name, ...aliases]) expect(findDataset(one).name).toBe(name);
      for (const version of versions) expect(findDataset(name, version).name).toBe(name);
    }
  });

  it.each([
    ["ethereum", "ethereum"],
    ["mainnet", "ethereum"],
    ["polygon", "matic"],
    ["8453", "base"],
    ["Arbitrum One", "arbitrum"],
  ])("finds a group by any name of its chain: %s is %s", (name, prefix) => {
    expect(findGroup(name).prefix).toBe(prefix);
  });

  it.each([
    ["etherum.raw_logs", 'There is no dataset "etherum.raw_logs". Did you mean ethereum.raw_logs?'],
    ["etherum.raw_log", "Did you mean ethereum.raw_logs?"],
    ["etherum.logs", "Did you mean ethereum.raw_logs?"],
    ["Ethereum.raw_logs", "Write ethereum.raw_logs."],
    ["polygon.logs", 'begin with matic, not with "polygon". Write matic.raw_logs.'],
    ["solana.raw_logs", "is not an EVM chain"],
    ["nowhere.raw_logs", 'No chain is called "nowhere"; graphloom dataset list shows all chains.'],
    ["base.raw_log", 'base has no dataset "raw_log". Did you mean base.raw_logs?'],
    ["base.erc20", "Did you mean base.erc20_transfers?"],
    ["base.receipts", "Receipts are columns of raw_transactions."],
    ["base.prices", "It has raw_blocks, raw_transactions,"],
    ["base.", "It has raw_blocks, raw_transactions,"],
    ["base", "Add one of its datasets: base.raw_blocks,"],
    ["raw_trace", "such as ethereum.raw_traces."],
    ["", "such as ethereum.raw_logs."],
    ["base.constructor", "It has raw_blocks"],
    ["__proto__.raw_logs", "graphloom dataset list shows all chains."],
    ["base.\u001b[31mred", "\\u001b"],
  ])("suggests existing datasets for %j", (name, message) => {
    expect(refusal(() => findDataset(name))).toContain(message);
  });

  it("shortens a long name", () => {
    const message = refusal(() => findDataset(`${"x".repeat(100_000)}.raw_logs`));
    expect(message).toMatch(
      /^There is no dataset "x{57}\.\.\."\. No chain is called "x{57}\.\.\."; graphloom/,
    );
  });

  it("lists the versions and the groups", () => {
    expect(refusal(() => findDataset("base.erc20_transfers", "1.0.0"))).toBe(
      'base.erc20_transfers has no version "1.0.0". It has 1.2.0.',
    );
    expect(refusal(() => findGroup("bsae"))).toContain("Did you mean base?");
    expect(refusal(() => findGroup("raw"))).toContain("groups are chains");
  });
});

describe("the description of a dataset", () => {
  it("has the columns, an example with a value for each, and the source of the rows", () => {
    for (const { name } of entries.slice(0, datasetKinds.length)) {
      const { columns, example } = describeDataset(findDataset(name));
      expect(Object.keys(example).sort()).toEqual(columns.map((column) => column.name).sort());
    }
    const { columns, needs } = describeDataset(findDataset("matic.raw_transactions"));
    expect(columns.find(({ name }) => name === "to_address")).toEqual({
      name: "to_address",
      type: "STRING",
      nullable: true,
      description: expect.any(String),
    });
    expect(needs).toEqual([
      { need: "receipts", from: expect.any(String), available: "yes; at once: unknown without a node" },
    ]);
  });

  it("has the chain's names, and null where there is none", () => {
    expect(describeDataset(findDataset("matic.logs")).chain).toEqual({
      title: "Polygon Mainnet",
      chain_id: "137",
      test: false,
      names: { dataset: "matic", subgraph: "matic", block_service: "matic", feed: "polygon" },
      finality: `the node's block "finalized"`,
      root_exception: expect.stringContaining("state syncs"),
    });
    expect(describeDataset(findDataset("plasma.logs")).chain.names).toEqual({
      dataset: "plasma",
      subgraph: null,
      block_service: "plasma",
      feed: null,
    });
    const finalityOf = (name: string): string => describeDataset(findDataset(name)).chain.finality;
    expect(finalityOf("harmony.logs")).toBe(
      'the block 256 behind the head; nodes do not know the block tag "finalized"',
    );
    expect(finalityOf("polygon-zkevm.logs")).toBe(
      `unknown whether nodes know the block tag "finalized": the lower of the node's block "finalized" and the block 500 behind the head`,
    );
  });

  it("has a value everywhere, for every dataset of every chain", () => {
    for (const entry of entries) {
      const texts = textsOf(describeDataset(entry));
      expect(texts.filter((text) => text === "" || /undefined|NaN|\[object/.test(text))).toEqual([]);
    }
  });
});

/** All values in a document as text. `undefined` must not occur, since JSON and YAML have none. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(textsOf);
  return [String(value)];
}
