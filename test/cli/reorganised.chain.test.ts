import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Doorkeeper, standBefore } from "../hosting/doorkeeper.js";
import { type Contract, useAnvil } from "../support/chain/anvil.js";
import { sharedCache } from "../support/compiler/shared-cache.js";
import { readWithDuckDb } from "../support/database/read-with-duckdb.js";
import { until } from "../support/until.js";
import { graphloom, type Ran, workplace } from "./harness.js";
import { counterConfig, deployCounter } from "./run/chains.js";

const anvil = useAnvil();
let counter: Contract;
let door: Doorkeeper;
/** The newest block that these tests do not replace. */
let base: number;
let snapshot: string;
let counted = 0;

beforeAll(async () => {
  counter = await deployCounter(anvil());
  base = await anvil().blockNumber();
  snapshot = await anvil().snapshot();
  door = await standBefore(anvil().url);
  return () => door.stop();
});

/** Replaces all blocks after the base by three others. */
async function replaceBlocks(): Promise<void> {
  await anvil().revert(snapshot);
  snapshot = await anvil().snapshot();
  for (let block = 0; block < 3; block++) await anvil().send(counter, "count", [++counted]);
}

/** A command that reads the chain to block `base + 3`. */
interface Door {
  readonly name: string;
  /** Runs the command. @returns what it wrote, as text */
  read(url: string): Promise<string>;
}

function checked({ code, out, err }: Ran): string {
  expect(code, err).toBe(0);
  return out;
}

const run: Door = {
  name: "run",
  async read(url) {
    const cwd = workplace({ "c.json": counterConfig({ anvil: counter }, "event.params.number") });
    const line = `run c.json --rpc anvil=${url} --to-block ${base + 3} --output json`;
    const { anvil: chain } = JSON.parse(checked(await graphloom(cwd, line, { env: sharedCache })));
    return JSON.stringify(chain.entities);
  },
};

const sync = (dataset: string): Door => ({
  name: `external-data sync ${dataset}`,
  async read(url) {
    const cwd = workplace();
    const line = `external-data sync ${dataset} --network anvil --to-block ${base + 3} --rpc ${url}`;
    checked(await graphloom(cwd, line));
    const folder = join(cwd, "data");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const rows = [];
    for (const name of names.filter((one) => one.endsWith(".parquet")).sort())
      rows.push(...(await readWithDuckDb(join(folder, name))));
    return textOf(rows);
  },
});

const pipeline = (dataset: string): Door => ({
  name: `pipeline run of ${dataset}`,
  async read(url) {
    const source = `{ type: dataset, dataset_name: anvil.${dataset}, start_at: earliest, end_block: ${base + 3} }`;
    return checked(await runDefinition(source, url));
  },
});

function runDefinition(
  source: string,
  url: string,
  more: Parameters<typeof graphloom>[2] = {},
): Promise<Ran> {
  const cwd = workplace();
  const definition = `name: r\nsources: { s: ${source} }\nsinks: { p: { type: print, from: s } }`;
  writeFileSync(join(cwd, "flow.yaml"), definition);
  return graphloom(cwd, `pipeline run flow.yaml --rpc anvil=${url}`, more);
}

function textOf(rows: unknown): string {
  return JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}

/** The property of every dataset and every request is held where they are extracted; this one is about the commands. */
const doors = [run, sync("raw-transactions"), pipeline("raw_transactions")];

describe.each(doors)("$name", ({ read }) => {
  it("reads one chain, not two, if a reorganisation comes before any request", async () => {
    const methods = new Set<string>();
    await replaceBlocks();
    let before = await read(anvil().url);
    for (let isNew = true; isNew; ) {
      isNew = false;
      door.before = async (asked) => {
        const method = isNew ? undefined : asked.find((one) => !methods.has(one));
        if (method === undefined) return;
        isNew = true;
        methods.add(method);
        await replaceBlocks();
      };
      const found = await read(door.url);
      if (!isNew) {
        expect(found).toBe(before);
        break;
      }
      const after = await read(anvil().url);
      expect(after).not.toBe(before);
      expect([before, after], [...methods].at(-1)).toContain(found);
      before = after;
    }
    expect(methods.size).toBeGreaterThan(2);
  });
});

describe("pipeline run", () => {
  it("continues if blocks are replaced before any request", async () => {
    await replaceBlocks();
    const seen = new Set<string>();
    let isInterrupted = true;
    door.before = async (methods) => {
      const method = methods.find((one) => !seen.has(one));
      isInterrupted = method !== undefined;
      if (method === undefined) return;
      seen.add(method);
      await replaceBlocks();
    };
    const source = `{ type: dataset, dataset_name: anvil.raw_logs, start_at: ${base + 1} }`;
    const rows = new Map<string, string>();
    const interrupt = new AbortController();
    const running = runDefinition(source, door.url, {
      signal: interrupt.signal,
      onOut: (text) => {
        for (const line of text.trim().split("\n")) {
          const { op, ...row } = JSON.parse(line);
          if (op === "d") rows.delete(row.id);
          else rows.set(row.id, JSON.stringify(row));
        }
      },
    });
    await until(async () => {
      const blocks = await Promise.all(
        [1, 2, 3].map((one) =>
          anvil().rpc<{ hash: string }>("eth_getBlockByNumber", `0x${(base + one).toString(16)}`, false),
        ),
      );
      const held = [...rows.values()].join("\n");
      return !isInterrupted && rows.size > 0 && blocks.every(({ hash }) => held.includes(hash));
    });
    const blocks = new Set([...rows.values()].map((row) => JSON.parse(row).block_hash));
    expect(blocks.size).toBe(3);
    interrupt.abort();
    const { code, err } = await running;
    expect([code, err]).toEqual([130, ""]);
  });
});
