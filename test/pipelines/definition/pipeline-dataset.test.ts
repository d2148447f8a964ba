import { describe, expect, it } from "vitest";
import { pipelineDataset } from "../../../src/pipelines/definition/pipeline-dataset.js";

describe("the version of a dataset in a pipeline", () => {
  it.each([
    "base.erc20_transfers",
    "anvil.erc20_transfers",
  ])("may be older or newer than those of %s", (name) => {
    const { version } = pipelineDataset(name).dataset;
    expect(pipelineDataset(name, version).instead).toBeUndefined();
    expect(pipelineDataset(name, "1.0.0").instead).toEqual({ version, isNewer: true });
    expect(pipelineDataset(name, "1.99.0").instead).toEqual({ version, isNewer: false });
  });

  it("may be one that is not current yet", () => {
    const { dataset, instead } = pipelineDataset("base.raw_transactions", "1.1.0");
    expect(pipelineDataset("base.raw_transactions").dataset.version).toBe("1.0.0");
    expect(dataset.columns.map(({ name }) => name)).toContain("mint");
    expect(instead).toBeUndefined();
  });

  it.each([
    "2.0.0",
    "0.9.0",
    "1.0",
    "latest",
    "1.0.0-rc.1",
    "1.0.0000000000000",
  ])("is unknown if it is %s", (version) => {
    expect(() => pipelineDataset("base.erc20_transfers", version)).toThrow("has no version");
  });

  it("is unknown for a dataset that does not exist", () => {
    expect(() => pipelineDataset("base.nothing", "1.0.0")).toThrow("base has no dataset");
    expect(() => pipelineDataset("anvil.erc20_transfers", "9.0.0")).toThrow("There is no dataset");
  });
});
