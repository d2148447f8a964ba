import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { readWithDuckDb } from "../../support/database/read-with-duckdb.js";
import { graphloom, type Ran, workplace } from "../harness.js";

const anvil = useAnvil();
let token: Contract;

beforeAll(async () => {
  token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
  for (const amount of [5, 500, 50_000]) await anvil().send(token, "transfer", [anvil().account(2), amount]);
}, 120_000);

async function runDefinition(yaml: string, line = ""): Promise<Ran> {
  const cwd = workplace();
  writeFileSync(join(cwd, "flow.yaml"), yaml);
  return graphloom(cwd, `pipeline run flow.yaml --rpc anvil=${anvil().url} ${line}`);
}

describe("pipeline run", () => {
  it("prints the rows that pass a query", async () => {
    const last = await anvil().blockNumber();
    const { code, out, err } = await runDefinition(`
name: large-transfers
job: true
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest, end_block: ${last} }
transforms:
  large:
    sql: SELECT id, recipient, amount, u256_mul(amount, 2) AS twice FROM transfers WHERE amount > 100 AND amount < 100000
    primary_key: id
sinks:
  shown: { type: print, from: large }
`);
    expect(err).toBe("");
    expect(code).toBe(0);
    const rows = out
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(rows).toEqual([
      {
        op: "i",
        id: expect.stringMatching(/^token_transfer_0x/),
        recipient: anvil().account(2).toLowerCase(),
        amount: "500",
        twice: "1000",
      },
      {
        op: "i",
        id: expect.stringMatching(/^token_transfer_0x/),
        recipient: anvil().account(2).toLowerCase(),
        amount: "50000",
        twice: "100000",
      },
    ]);
  });

  it("writes files of windows that other programs read, and continues after them", async () => {
    const last = await anvil().blockNumber();
    const definition = (end: number): string => `
name: files
job: true
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest, end_block: ${end} }
transforms:
  all:
    sql: SELECT id, amount, amount > 100 AS large, to_timestamp(block_timestamp)::TIMESTAMP AS at FROM transfers
    primary_key: id
sinks:
  kept: { type: file, from: all, path: out, finalized: true, blocks_per_file: 2 }
`;
    const cwd = workplace();
    const line = `pipeline run flow.yaml --rpc anvil=${anvil().url}`;
    writeFileSync(join(cwd, "flow.yaml"), definition(last - 1));
    expect((await graphloom(cwd, line)).code).toBe(0);
    const before = readdirSync(join(cwd, "out/transfers"));
    writeFileSync(join(cwd, "flow.yaml"), definition(last));
    expect((await graphloom(cwd, line)).code).toBe(0);
    const names = readdirSync(join(cwd, "out/transfers"));
    expect(names).toEqual([
      ...before,
      `${String(last).padStart(12, "0")}-${String(last).padStart(12, "0")}.parquet`,
    ]);
    const rows = await readWithDuckDb(join(cwd, "out/*/*.parquet"));
    const read = rows.map(({ amount, large, at }) => [amount, large, (at as Date).getTime() > 1.6e12]);
    expect(read).toEqual([
      [String(10n ** 30n), true, true],
      ["5", false, true],
      ["500", true, true],
      ["50000", true, true],
    ]);
  });

  it("refuses a folder that holds something else, before it writes", async () => {
    const cwd = workplace({ "out/mine.txt": "mine" });
    writeFileSync(
      join(cwd, "flow.yaml"),
      `
name: files
sources: { t: { type: dataset, dataset_name: anvil.raw_blocks, start_at: earliest, end_block: 1 } }
sinks: { kept: { type: file, from: t, path: out, finalized: true } }
`,
    );
    const { code, err } = await graphloom(cwd, `pipeline run flow.yaml --rpc anvil=${anvil().url}`);
    expect(code).toBe(1);
    expect(err).toBe(
      "Sink kept has stopped: The folder holds a file that this pipeline has not written: mine.txt. Choose another path.\n",
    );
    expect(readdirSync(join(cwd, "out"))).toEqual(["mine.txt"]);
  });

  it("says what a sink needs, and runs the others", async () => {
    const last = await anvil().blockNumber();
    const { code, out, err } = await runDefinition(`
name: two-sinks
job: true
sources:
  blocks: { type: dataset, dataset_name: anvil.raw_blocks, start_at: ${last}, end_block: ${last} }
sinks:
  shown: { type: print, from: blocks }
  stored: { type: postgres, from: blocks, table: blocks, secret_name: MY_DATABASE }
`);
    expect(code).toBe(1);
    expect(out.trim().split("\n")).toHaveLength(1);
    expect(err).toBe(
      "Sink stored has stopped: There is no secret MY_DATABASE. Set the environment variable GRAPHLOOM_SECRET_MY_DATABASE to its value.\n",
    );
  });
});
