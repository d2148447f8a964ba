import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { readWithDuckDb } from "../../support/database/read-with-duckdb.js";
import { startRecordingServer } from "../../support/pipelines/recording-server.js";
import { until } from "../../support/until.js";
import { graphloom, type Ran, workplace } from "../harness.js";

const anvil = useAnvil();
const sent = { method: "POST", headers: { "content-type": "application/json" } };
let token: Contract;

beforeAll(async () => {
  token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
  for (const amount of [5, 500, 50_000]) await anvil().send(token, "transfer", [anvil().account(2), amount]);
});

async function runDefinition(
  yaml: string,
  url = anvil().url,
  more: Parameters<typeof graphloom>[2] = {},
  options = "",
): Promise<Ran> {
  const cwd = workplace();
  writeFileSync(join(cwd, "flow.yaml"), yaml);
  return graphloom(cwd, `pipeline run flow.yaml --rpc anvil=${url} ${options}`, more);
}

describe("pipeline run", () => {
  it("passes rows through a script, and names a row that the script cannot take", async () => {
    const last = await anvil().blockNumber();
    const definition = (script: string): string => `
name: sized
job: true
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest, end_block: ${last} }
transforms:
  sized:
    type: script
    from: transfers
    primary_key: id
    schema: { id: string, amount: uint64, size: string }
    script: |
      function invoke(data: { id: string; amount: bigint }) {
        ${script}
      }
sinks:
  shown: { type: print, from: sized }
`;
    const sized = await runDefinition(
      definition(
        'return data.amount > 100_000n ? null : { id: data.id, amount: data.amount, size: data.amount > 100n ? "large" : "small" };',
      ),
    );
    expect(sized.err).toBe("");
    expect(
      sized.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { op: "i", amount: "5", size: "small" },
      { op: "i", amount: "500", size: "large" },
      { op: "i", amount: "50000", size: "large" },
    ]);
    const failed = await runDefinition(definition("return { id: data.id, amount: data.amount, size: 'x' };"));
    expect(failed.code).toBe(1);
    expect(failed.err).toMatch(
      /^Sink shown has stopped: Script sized has failed for the row with id "token_transfer_0x[^"]+" of block \d+: column amount does not fit uint64$/m,
    );
  });

  const oneFails = `
name: two
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest }
transforms:
  failing:
    type: script
    from: transfers
    primary_key: id
    schema: { id: string, amount: uint64 }
    script: "function invoke(data) { return { id: data.id, amount: -1 }; }"
sinks:
  bad: { type: print, from: failing }
  good: { type: print, from: transfers }
`;

  it("decodes logs with the ABI of a source, and reads columns of its log", async () => {
    const decoded = await runDefinition(`
name: decoded
job: true
sources:
  decoded:
    type: dataset
    dataset_name: anvil.decoded_logs
    abi: event Transfer(address indexed from, address indexed to, uint256 value)
    start_at: earliest
    end_block: ${await anvil().blockNumber()}
transforms:
  rows:
    sql: SELECT id, event_signature, event_params[3] AS amount, raw_log.log_index FROM decoded
    primary_key: id
sinks:
  shown: { type: print, from: rows }
`);
    expect(decoded.err).toBe("");
    const shown = decoded.out.trim().split("\n").slice(-3);
    const event_signature = "Transfer(address,address,uint256)";
    expect(shown.map((line) => JSON.parse(line))).toMatchObject(
      ["5", "500", "50000"].map((amount) => ({ event_signature, amount, log_index: 0 })),
    );
  });

  it("reports a sink that stops while the others continue", async () => {
    const interrupt = new AbortController();
    let told = "";
    const options = {
      signal: interrupt.signal,
      onErr: (text: string) => {
        told += text;
      },
    };
    const running = runDefinition(oneFails, anvil().url, options, "--health 0");
    await until(() => told.includes("Sink bad has stopped: Script failing has failed"));
    const [, url = ""] = /Health is at (\S+)\/health/.exec(told) ?? [];
    const health = await fetch(`${url}/health`);
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({
      status: "failed",
      sinks: { bad: { state: "halted", why: expect.stringContaining("Script failing has failed") } },
    });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^graphloom_pipeline_sink_stalled\{pipeline="[^"]+",sink="bad"\} 1$/m);
    expect(metrics).toMatch(/^graphloom_pipeline_running\{pipeline="[^"]+"\} 0$/m);
    interrupt.abort();
    const { code, out, err } = await running;
    expect(code).toBe(1);
    expect(err.match(/Sink bad has stopped/g)).toHaveLength(1);
    expect(out.trim().split("\n").length).toBeGreaterThan(2);
  });

  it("ends when a sink stops with --fail-fast", async () => {
    const { code, err } = await runDefinition(oneFails, anvil().url, {}, "--fail-fast");
    expect(code).toBe(1);
    expect(err).toMatch(/^Sink bad has stopped: [^\n]+\n$/);
  });

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

  it("writes files that other programs read, and a second run continues after them", async () => {
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

  it("writes files that cover no more blocks than the definition says", async () => {
    const last = await anvil().blockNumber();
    await anvil().mine(60);
    const cwd = workplace();
    writeFileSync(
      join(cwd, "flow.yaml"),
      `
name: files
sources: { t: { type: dataset, dataset_name: anvil.raw_blocks, start_at: earliest, end_block: ${last + 60} } }
sinks: { kept: { type: file, from: t, path: out, finalized: true, blocks_per_file: 7 } }
`,
    );
    const { code, err } = await graphloom(cwd, `pipeline run flow.yaml --rpc anvil=${anvil().url}`);
    expect([code, err]).toEqual([0, ""]);
    const ranges = readdirSync(join(cwd, "out/t")).map((name) => name.match(/\d+/g)?.map(Number) ?? []);
    expect(ranges.at(-1)?.[1]).toBe(last + 60);
    for (const [from = 0, to = 0] of ranges) expect(to + 1 - from).toBeLessThanOrEqual(7);
  });

  it("refuses a folder that holds something else before it writes", async () => {
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

  it("posts rows through a handler to a local webhook, and a second run continues after them", async () => {
    const server = await startRecordingServer();
    onTestFinished(() => server.stop());
    server.answer(({ path, body }) => ({
      status: 200,
      ...(path === "/double" && {
        body: JSON.stringify(
          JSON.parse(body).map(({ amount }: { amount: string }) => ({ twice: `${BigInt(amount) * 2n}` })),
        ),
      }),
    }));
    const last = await anvil().blockNumber();
    const definition = (end: number): string => `
name: posted
job: true
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: 2, end_block: ${end} }
transforms:
  doubled:
    type: handler
    from: transfers
    primary_key: id
    url: ${server.url}/double
    schema_override: { twice: numeric(78) }
sinks:
  hook: { type: webhook, from: doubled, url: "${server.url}/hook", secret_name: HOOK }
`;
    const cwd = workplace();
    const env = { GRAPHLOOM_SECRET_HOOK: "x-api-key: mine", XDG_STATE_HOME: join(cwd, "states") };
    const line = `pipeline run flow.yaml --rpc anvil=${anvil().url}`;
    for (const end of [last - 1, last, last]) {
      writeFileSync(join(cwd, "flow.yaml"), definition(end));
      const { code, err } = await graphloom(cwd, line, { env });
      expect([code, err]).toEqual([0, ""]);
    }
    const posts = server.requests.filter(({ path }) => path === "/hook");
    expect(posts.every(({ headers }) => headers["x-api-key"] === "mine")).toBe(true);
    const changes = posts.flatMap(({ body }) => JSON.parse(body));
    expect(changes.map(({ op, row }) => [op, row.amount, row.twice])).toEqual([
      ["i", "5", "10"],
      ["i", "500", "1000"],
      ["i", "50000", "100000"],
    ]);
    // Numbers grow from run to run, also from a state that was restored.
    const numbers: readonly number[] = changes.map(({ sequence }) => sequence);
    expect(numbers.every((number, index) => number > (numbers[index - 1] ?? 1_600_000_000_000_000))).toBe(
      true,
    );
    expect(readdirSync(join(cwd, "states/graphloom/posted"))).toEqual([
      expect.stringMatching(/^hook-[0-9a-f]{16}\.journal$/),
    ]);
    const elsewhere = await graphloom(cwd, `${line} --state other`, { env });
    expect(elsewhere.code).toBe(0);
    expect(server.requests.filter(({ path }) => path === "/hook").length).toBeGreaterThan(posts.length);
  });

  it("says what a sink is missing, and runs the others", async () => {
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

  it("asks the node only for the logs of the contracts that a filter names", async () => {
    const other = await deployToken(anvil(), { name: "O", symbol: "O", decimals: 18, supply: 1_000n });
    await anvil().send(other, "transfer", [anvil().account(2), 700]);
    const last = await anvil().blockNumber();
    const asked: unknown[] = [];
    const node = createServer(async (request, response) => {
      const body = await text(request);
      for (const { method, params } of [JSON.parse(body)].flat())
        if (method === "eth_getLogs") asked.push(params[0].address);
      response.end(await (await fetch(anvil().url, { ...sent, body })).text());
    }).listen(0, "127.0.0.1");
    await once(node, "listening");
    try {
      const { out, err } = await runDefinition(
        `
name: one-token
job: true
sources:
  transfers:
    type: dataset
    dataset_name: anvil.erc20_transfers
    start_at: earliest
    end_block: ${last}
    filter: address IN ('${String(token.address).toLowerCase()}') AND amount > 100
sinks:
  shown: { type: print, from: transfers }
`,
        `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
      );
      expect(err).toBe("");
      const amounts = out.trim().split("\n");
      expect(amounts.map((text) => JSON.parse(text).amount)).toEqual([String(10n ** 30n), "500", "50000"]);
      expect(new Set(asked.map(String))).toEqual(new Set([token.address]));
    } finally {
      node.close();
    }
  });
});
