import { describe, expect, it } from "vitest";
import { node } from "./deploy/in-process.js";
import { deployed, useApi } from "./remote/harness.js";

const api = useApi();

const deploy = "subgraph deploy pools/1.0.0 --from-abi c.json";

describe("a deployment with --output json", () => {
  it.each([
    "text",
    "json",
    "github",
  ])("prints one document for an invalid configuration, with --format %s", async (format) => {
    await node(async ({ run }) => {
      const line = `subgraph deploy pools/1.0.0 --from-abi faulty.json --output json --format ${format}`;
      const { code, out, err } = await run(line);
      expect(code).toBe(1);
      expect(JSON.parse(out)).toMatchObject({ counts: { errors: expect.any(Number) } });
      expect(err.includes("error[unknown-abi]")).toBe(format !== "json");
    });
  });

  it.each([
    "--output json",
    "--output json --format json",
    "--output=json --format github",
  ])("prints one document for subgraph init --deploy %s", async (options) => {
    await node(async ({ run }) => {
      const { code, out } = await run(`subgraph init pools/1.0.0 --from-config c.json --deploy ${options}`);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject([{ name: "pools", state: "deployed" }]);
      const failed = await run(`subgraph init pools/1.0.0 --from-config faulty.json --deploy ${options}`);
      expect([failed.code, JSON.parse(failed.out).counts.errors > 0]).toEqual([1, true]);
    });
  });

  it("prints the error as the document when init --deploy cannot write its files", async () => {
    await node(async ({ run }) => {
      const line = "subgraph init pools/1.0.0 --from-config c.json --target-path faulty.json --deploy";
      const { code, out, err } = await run(`${line} --output json`);
      expect(code).toBe(1);
      expect(JSON.parse(out)).toEqual({ error: { message: err.trimEnd(), exit_code: 1 } });
    });
  });

  it("includes the result of --wait in the document", async () => {
    await node(async ({ run, fail }) => {
      const well = await run(`${deploy} --wait synced --output json`);
      expect(JSON.parse(well.out)).toMatchObject([
        { indexing: { state: "synced", block: 30_000_000 }, error: null },
      ]);
      fail("transaction 0xab: \u001b[31moverflow");
      const { code, out } = await run(`${deploy} --wait synced --output json`);
      expect(code).toBe(1);
      expect(out).not.toContain("\u001b");
      expect(JSON.parse(out)).toMatchObject([
        {
          state: "unchanged",
          indexing: { state: "failed" },
          error: "transaction 0xab: \u001b[31moverflow",
        },
      ]);
    });
  });

  it("includes the reason when it cannot wait", async () => {
    await node(async ({ run, cutStatus }) => {
      cutStatus();
      const { code, out, err } = await run(`${deploy} --wait synced --output json`);
      expect(code).toBe(3);
      const [{ state, indexing, error }] = JSON.parse(out);
      expect([state, indexing, err.includes(error)]).toEqual(["deployed", null, true]);
    });
  });

  it("includes no indexing status with --wait none", async () => {
    await node(async ({ run }) => {
      const { out } = await run(`${deploy} --wait none --output json`);
      expect(JSON.parse(out)).toMatchObject([{ indexing: null, error: null }]);
    });
  });
});

describe("a failing command with --output json", () => {
  it.each([
    ["subgraph list nobody/1.0.0 --output json", 3, "nobody"],
    ["subgraph list 1nobody --output=json", 2, "is not a subgraph name"],
    ["subgraph list --output json --filter nothing", 2, "Invalid values"],
    ["subgraph webhook list-entities pools/9.0.0 --output json", 3, "9.0.0"],
  ])("prints the error as its document: %s", async (line, exitCode, message) => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    const { code, out, err } = await all.run(line);
    expect(code).toBe(exitCode);
    expect(err).toContain(message);
    expect(JSON.parse(out)).toEqual({ error: { message: err.trimEnd(), exit_code: exitCode } });
  });

  it("prints no error document without --output json or beside a result", async () => {
    const all = await api();
    expect((await all.run("subgraph list nobody/1.0.0")).out).toBe("");
    expect((await all.run("subgraph list nobody/1.0.0 --output table")).out).toBe("");
    expect(JSON.parse((await all.run("subgraph list --output json")).out)).toEqual([]);
  });

  it("leaves earlier messages out of the error document", async () => {
    const all = await api();
    all.server.rule(() => ({ kind: "cut" }));
    const { out, err } = await all.run("subgraph list --output json --verbose");
    expect(err).toContain("retrying in");
    expect(JSON.parse(out).error.message).not.toContain("retrying in");
  });
});
