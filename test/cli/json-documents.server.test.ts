import { describe, expect, it } from "vitest";
import { startGraphNodeDouble } from "../support/graph-node-double.js";
import { startIpfsDouble } from "../support/ipfs-double.js";
import { config, graphloom, type Ran, workplace } from "./harness.js";
import { api, deployed } from "./remote/harness.js";
import { here } from "./remote/in-process.js";

const faulty = config({ instances: [{ abi: "Tokn", address: "0x1", startBlock: 1, chain: "mainnet" }] });

/** A folder with a configuration and one with errors, and a graph-node to deploy to. */
async function node<Result>(
  use: (place: {
    readonly run: (line: string) => Promise<Ran>;
    readonly fail: (message: string) => void;
    readonly stop: () => Promise<void>;
  }) => Promise<Result>,
): Promise<Result> {
  const ipfs = await startIpfsDouble();
  const double = await startGraphNodeDouble(ipfs, {
    networks: ["mainnet"],
    head: 30_000_000,
    step: 15_000_000,
  });
  const cwd = workplace({ "c.json": config(), "faulty.json": faulty });
  const stop = async (): Promise<void> => {
    await Promise.all([ipfs.stop(), double.stop()]);
  };
  const addresses = `--graph-node ${double.admin.url} --ipfs ${ipfs.url} --graph-node-status ${double.statusUrl}`;
  const env = { HOME: cwd };
  try {
    return await use({
      run: (line) => graphloom(cwd, `${line} ${addresses}`, { env }),
      fail: (message) => {
        const id = double.subgraphs.get("pools/v1-0-0")?.at(-1) ?? "";
        double.set(id, { fatal: { message, deterministic: true } });
      },
      stop,
    });
  } finally {
    await stop();
  }
}

const deploy = "subgraph deploy pools/1.0.0 --from-abi c.json";

describe("a deployment of which a document is wanted has one", () => {
  it.each([
    "text",
    "json",
    "github",
  ])("where the configuration has errors, with --format %s", async (format) => {
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
  ])("init --deploy %s", async (options) => {
    await node(async ({ run }) => {
      const { code, out } = await run(`subgraph init pools/1.0.0 --from-config c.json --deploy ${options}`);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject([{ name: "pools", state: "deployed" }]);
      const failed = await run(`subgraph init pools/1.0.0 --from-config faulty.json --deploy ${options}`);
      expect([failed.code, JSON.parse(failed.out).counts.errors > 0]).toEqual([1, true]);
    });
  });

  it("init --deploy, which finds something in the way", async () => {
    await node(async ({ run }) => {
      const line = "subgraph init pools/1.0.0 --from-config c.json --target-path faulty.json --deploy";
      const { code, out, err } = await run(`${line} --output json`);
      expect(code).toBe(1);
      expect(JSON.parse(out)).toEqual({ error: { message: err.trimEnd(), exit_code: 1 } });
    });
  });

  it("with what waiting came to in it", async () => {
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

  it("without one where nothing is waited for", async () => {
    await node(async ({ run }) => {
      const { out } = await run(`${deploy} --wait none --output json`);
      expect(JSON.parse(out)).toMatchObject([{ indexing: null, error: null }]);
    });
  });
});

describe("an error is the document where one is wanted", () => {
  it.each([
    ["subgraph list nobody/1.0.0 --output json", 3, "nobody"],
    ["subgraph list 1nobody --output=json", 2, "is not a subgraph's name"],
    ["subgraph list --output json --filter nothing", 2, "Invalid values"],
    ["subgraph webhook list-entities pools/9.0.0 --output json", 3, "9.0.0"],
  ])("%s", async (line, exitCode, message) => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    const { code, out, err } = await here(all, line);
    expect(code).toBe(exitCode);
    expect(err).toContain(message);
    expect(JSON.parse(out)).toEqual({ error: { message: err.trimEnd(), exit_code: exitCode } });
  });

  it("but not where it is not, nor beside a document", async () => {
    const all = await api();
    expect((await here(all, "subgraph list nobody/1.0.0")).out).toBe("");
    expect((await here(all, "subgraph list nobody/1.0.0 --output table")).out).toBe("");
    expect(JSON.parse((await here(all, "subgraph list --output json")).out)).toEqual([]);
  });

  it("without what was said on the way to it", async () => {
    const all = await api();
    all.server.rule(() => ({ kind: "cut" }));
    const { out, err } = await here(all, "subgraph list --output json --verbose");
    expect(err).toContain("asking again in");
    expect(JSON.parse(out).error.message).not.toContain("asking again in");
  });
});
