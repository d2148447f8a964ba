import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { readWithDuckDb } from "../../support/database/read-with-duckdb.js";
import { type FaultyProxy, startFaultyProxy } from "../../support/network/faulty-proxy.js";
import { graphloom, workplace } from "../harness.js";
import { moverContract } from "./mover.js";

const anvil = useAnvil();
let mover: Contract;
let last: number;
let proxy: FaultyProxy;

beforeAll(async () => {
  mover = await anvil().deploy(moverContract.abi, moverContract.bytecode);
  for (let amount = 1n; amount <= 12n; amount++) {
    await anvil().send(mover, "move", [anvil().account(1), amount]);
    await anvil().mine(3);
  }
  last = await anvil().blockNumber();
});

beforeEach(async () => {
  proxy = await startFaultyProxy(anvil().url);
  onTestFinished(() => proxy.stop());
});

/** Sizes of the batches that the node was sent since the last call. */
function batches(): () => readonly number[] {
  let seen = 0;
  return () => {
    const fresh = proxy.received.slice(seen);
    seen = proxy.received.length;
    return fresh.map(({ body }) => (Array.isArray(body) ? body.length : 1));
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const lineOf = (kind: string, more: string, url = proxy.origin): string =>
  `external-data sync ${kind} --network anvil --rpc ${url} --to-block ${last} ${more}`;

function rowsIn(cwd: string, folder: string): Promise<readonly object[]> {
  return readWithDuckDb(join(cwd, "data", "anvil", folder, "*", "*", "*.parquet"));
}

describe("--max-requests", () => {
  it("ends after so many requests, repetitions included, and the same command continues", async () => {
    const whole = workplace();
    const options = "--blocks-per-file 8";
    expect((await graphloom(whole, lineOf("raw-transactions", options, anvil().url))).code).toBe(0);
    const cwd = workplace();
    const requests = batches();
    const limited = lineOf("raw-transactions", `${options} --max-requests 40`);
    let runs = 0;
    for (;;) {
      runs += 1;
      proxy.fail({ kind: "status", status: 503 });
      const { code, out, err } = await graphloom(cwd, limited);
      const sent = sum(requests());
      if (code === 0) {
        expect(sent).toBeLessThanOrEqual(40);
        break;
      }
      expect([code, sent], err).toEqual([130, 40]);
      expect(out).toContain(", with 40 requests to the node\n");
      expect(out).toMatch(
        /\nStopped after 40 requests, as --max-requests says\n\d files? still missing\. The same command continues\.\n/,
      );
    }
    expect(runs).toBeGreaterThan(2);
    expect(await rowsIn(cwd, "raw/transactions")).toEqual(await rowsIn(whole, "raw/transactions"));
  });

  it("says so when it is not enough for a single file, unless an archive keeps the parts", async () => {
    const cwd = workplace();
    const requests = batches();
    const { code, out } = await graphloom(cwd, lineOf("raw-blocks", "--max-requests 35"));
    expect([code, sum(requests())]).toEqual([130, 35]);
    expect(out).toContain(
      "1 file still missing. None was completed: pass a higher --max-requests, or --archive, which keeps parts of a file.\n",
    );
    const names = readdirSync(join(cwd, "data"), { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => name.endsWith(".parquet"))).toEqual([]);
  });

  it("continues within a file from an archive", async () => {
    const cwd = workplace();
    // The archive keeps what is final on this node.
    await anvil().mine(400);
    const line = lineOf("raw-blocks", "--max-requests 35 --archive kept");
    const codes: number[] = [];
    for (let run = 0; run < 3; run++) codes.push((await graphloom(cwd, line)).code);
    expect(codes).toEqual([130, 0, 0]);
    expect((await rowsIn(cwd, "raw/blocks")).length).toBe(last + 1);
  });

  it("says so when it is not even enough to begin", async () => {
    const requests = batches();
    const { code, err } = await graphloom(workplace(), lineOf("raw-blocks", "--max-requests 1"));
    expect([code, err, sum(requests())]).toEqual([
      130,
      "Nothing was read: the limit of 1 request to the node was reached before the first file. Pass a higher --max-requests.\n",
      1,
    ]);
  });

  it("does not stop a run that needs fewer requests", async () => {
    const { code, out } = await graphloom(workplace(), lineOf("raw-blocks", "--max-requests 1000"));
    expect(code).toBe(0);
    expect(out).not.toContain("Stopped");
  });
});

describe("--requests-per-second", () => {
  it("keeps batches small enough for the rate", async () => {
    const requests = batches();
    const cwd = workplace();
    const line = lineOf("raw-blocks", "--from-block 1");
    expect((await graphloom(cwd, `${line} --out free`)).code).toBe(0);
    const free = requests();
    expect((await graphloom(cwd, `${line} --requests-per-second 40 --out slow`)).code).toBe(0);
    const slow = requests();
    expect(Math.max(...free)).toBeGreaterThan(10);
    expect(Math.max(...slow)).toBe(4);
    expect(sum(slow)).toBe(sum(free));
  });
});

it.each([
  ["--max-requests 0", "--max-requests must be a whole number, 1 or more."],
  ["--max-requests 1.5", "--max-requests must be a whole number, 1 or more."],
  ["--requests-per-second 0", "--requests-per-second must be a number from 0.01 to 1000."],
  ["--requests-per-second fast", "--requests-per-second must be a number from 0.01 to 1000."],
])("external-data sync refuses %s", async (options, why) => {
  const { code, err } = await graphloom(workplace(), lineOf("raw-blocks", options));
  expect([code, err]).toEqual([2, expect.stringContaining(why)]);
});
