import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openClickHouse } from "../../../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import type { ClickHouse } from "../../../../src/pipelines/sinks/clickhouse-server.js";
import { type Contract, callOf, useAnvil } from "../../../support/chain/anvil.js";
import { deployToken } from "../../../support/chain/erc20.js";
import { testFolder, useFolder } from "../../../support/folder.js";
import {
  type ClickHouseServer,
  lackOfClickHouse,
  startClickHouse,
} from "../../../support/servers/clickhouse.js";

const anvil = useAnvil();
const lack = lackOfClickHouse();
/** Transfers, each in a block of its own, before the writer is killed and in all. */
const [before, transfers] = [24, 30];

describe.skipIf(lack !== undefined)("a ClickHouse table whose writer is killed", () => {
  const folder = useFolder();
  let server: ClickHouseServer;
  let asked: ClickHouse;
  let token: Contract;

  beforeAll(async () => {
    token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
    await transfer(1, before);
    server = await startClickHouse(folder);
    asked = await openClickHouse(server.address);
  });

  afterAll(async () => {
    await asked?.close();
    await server?.stop();
  });

  const transfer = async (first: number, last: number): Promise<void> => {
    for (let amount = first; amount <= last; amount += 1)
      await anvil().inOneBlock([callOf(token, "transfer", [anvil().account(2), amount])]);
  };
  const countOf = async (table: string): Promise<number> => {
    const tables = await asked.query("SELECT 1 FROM system.tables WHERE name = {table:String}", { table });
    if (tables.length === 0) return 0;
    const [row] = await asked.query(`SELECT toString(count()) AS rows FROM ${table} FINAL`);
    return Number(row?.rows);
  };

  it("INV-P1: has every row once after its writer was killed within a block", async () => {
    const cwd = testFolder({
      "flow.yaml": `
name: killed
sources: { t: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest } }
sinks: { out: { type: clickhouse, from: t, table: moved, secret_name: CH } }
`,
    });
    const start = () =>
      spawn(
        process.execPath,
        [resolve("dist/cli/main.js"), "pipeline", "run", "flow.yaml", "--rpc", anvil().url],
        {
          cwd,
          env: { ...process.env, HOME: cwd, GRAPHLOOM_SECRET_CH: server.secret },
          stdio: ["ignore", "ignore", "inherit"],
        },
      );
    const first = start();
    onTestFinished(() => void first.kill("SIGKILL"));
    await expect.poll(() => countOf("moved"), { interval: 5 }).toBeGreaterThanOrEqual(5);
    await sleep(Math.random() * 20);
    first.kill("SIGKILL");
    await once(first, "close");
    expect(await countOf("moved")).toBeLessThan(transfers + 1);
    // However late it was killed, there is something left to write.
    await transfer(before + 1, transfers);
    const last = start();
    onTestFinished(() => void last.kill("SIGKILL"));
    await expect.poll(() => countOf("moved")).toBe(transfers + 1);
    last.kill("SIGTERM");
    await once(last, "close");
    const rows = await asked.query(
      "SELECT toUInt32(amount) AS n FROM moved FINAL WHERE amount < 1000 ORDER BY n",
    );
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: transfers }, (_, index) => index + 1));
  });
});
