import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Meters } from "../../../src/base/meters.js";
import { readWindow } from "../../../src/datasets/sync/read-window.js";
import { moverContract } from "../../cli/external-data/mover.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { onPglite } from "../../support/database/databases.js";
import { testFolder } from "../../support/folder.js";
import { type DoubleServer, startDouble } from "../../support/network/double-server.js";
import { type DatasetServerOptions, startDatasetServer } from "../../support/server/dataset-server.js";
import type { TestPlatform } from "../../support/server/platform-server.js";
import { until } from "../../support/until.js";

/** A chain with blocks that are not final. */
const anvil = useAnvil(["--chain-id", "1"]);
const { fresh } = onPglite();
let mover: Contract;

beforeAll(async () => {
  mover = await anvil().deploy(moverContract.abi, moverContract.bytecode);
  await anvil().send(mover, "move", [anvil().account(1), 5n]);
  await anvil().mine(400);
});

interface Node extends DoubleServer {
  /** Holds all answers back until `release` is called. */
  hold(): void;
  release(): void;
  methods(): readonly string[];
}

/** Stands before the node. */
async function node(): Promise<Node> {
  let gate: Promise<void> = Promise.resolve();
  let open = (): void => undefined;
  const double = await startDouble(async ({ body }) => {
    await gate;
    const answer = await fetch(anvil().url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return { status: answer.status, body: await answer.text(), type: "application/json" };
  });
  onTestFinished(async () => {
    open();
    await double.stop();
  });
  return {
    ...double,
    hold: () => {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    release: () => open(),
    methods: () =>
      double.requests.flatMap(({ body }) =>
        [JSON.parse(body.toString())].flat().map(({ method }: { readonly method: string }) => method),
      ),
  };
}

async function served(url: string, options: Partial<DatasetServerOptions> = {}): Promise<TestPlatform> {
  const server = await startDatasetServer(await fresh(), { nodes: { mainnet: url }, ...options });
  onTestFinished(() => server.close());
  return server;
}

function fileOf(dataset: string, from: number, to: number, more = ""): string {
  return `/datasets/${dataset}/file?from_block=${from}&to_block=${to}${more}`;
}

describe("files of datasets", () => {
  it("lists the chains that the server has nodes for", async () => {
    const server = await served(anvil().url);
    const { json } = await server.ask("/datasets");
    const head = await anvil().blockNumber();
    const [chain] = json.data;
    expect(json.data.length).toBe(1);
    expect(chain).toMatchObject({ chain: "ethereum", chain_id: "1", newest_block: head });
    expect(chain.first_block.hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(chain.final_block).toBeLessThan(head);
    expect(chain.datasets.map(({ name }: { name: string }) => name)).toEqual([
      "ethereum.raw_blocks",
      "ethereum.raw_logs",
      "ethereum.raw_transactions",
    ]);
    // Any of its names will do.
    expect((await server.ask("/datasets?chain=mainnet")).json).toEqual(json);
  });

  it("lists a chain whose nodes are unreachable without the facts that nodes report", async () => {
    const server = await served("http://127.0.0.1:1");
    const { json } = await server.ask("/datasets");
    expect(json.data[0]).toMatchObject({ chain: "ethereum", chain_id: null, final_block: null });
    const file = await server.ask(fileOf("ethereum.raw_blocks", 0, 1));
    expect([file.status, file.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(file.text).not.toContain("127.0.0.1:1");
  });

  it("gives a Parquet file to a Viewer, and refuses requests without a key", async () => {
    const server = await served(anvil().url);
    const path = fileOf(
      "ethereum.logs",
      0,
      9,
      `&contract_address=${mover.address.toUpperCase().replace("X", "x")}`,
    );
    const key = await server.addKey("Viewer");
    const answer = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/vnd.apache.parquet");
    expect(answer.headers.get("content-disposition")).toBe(
      'attachment; filename="0000000000-0000000009.parquet"',
    );
    const expected = { kind: "raw_logs", from: 0, to: 9, contract: mover.address } as const;
    const day = answer.headers.get("graphloom-day") ?? "";
    const rows = await readWindow(new Uint8Array(await answer.arrayBuffer()), { ...expected, day });
    expect(rows.length).toBe(1);
    expect((await server.ask(path, { key: undefined })).status).toBe(401);
    expect((await server.ask("/datasets", { key: undefined })).status).toBe(401);
  });

  it("refuses unknown datasets and chains, in a sentence", async () => {
    const server = await served(anvil().url);
    const contract = `&contract_address=0x${"1".repeat(40)}`;
    const refused: readonly (readonly [string, number, string])[] = [
      [fileOf("ethereum.raw_blocks", 5, 4), 400, "must not be before from_block"],
      [fileOf("ethereum.raw_blocks", 0, 1_000), 400, "must be at most 1000 blocks after from_block"],
      [fileOf("ethereum.raw_logs", 0, 250), 400, "must be at most 250 blocks after from_block"],
      [fileOf("ethereum.raw_logs", 0, 1, "&contract_address=0x12"), 400, "contract_address"],
      [fileOf("ethereum.raw_blocks", 0, 1, contract), 400, "for raw_logs only"],
      ["/datasets/ethereum.raw_blocks/file?from_block=0", 400, "is required"],
      [fileOf("ethereum.raw_blocks", -1, 0), 400, "from_block"],
      [fileOf("ethereum.raw_blocks", 390, 402), 422, "may still be replaced. Ask for blocks up to"],
      [fileOf("ethereum.decoded_logs", 0, 1), 404, "To decode logs, take raw_logs"],
      [fileOf("ethereum.raw_traces", 0, 1), 404, "Servers make files of raw_blocks"],
      [fileOf("base.raw_logs", 0, 1), 404, 'no node for \\"base\\". It has nodes for ethereum.'],
      [fileOf("etherum.raw_logs", 0, 1), 404, "Did you mean ethereum.raw_logs?"],
      [fileOf("anvil.raw_logs", 0, 1), 404, "anvil"],
      ["/datasets?chain=nowhere", 404, 'no node for \\"nowhere\\"'],
    ];
    for (const [path, status, why] of refused) {
      const answer = await server.ask(path);
      expect([path, answer.status, answer.text]).toEqual([path, status, expect.stringContaining(why)]);
      expect(answer.json.detail).toMatch(/[.?]$/);
    }
  });

  it("reads through the archive, and does not ask the node again for archived blocks", async () => {
    const gate = await node();
    const server = await served(gate.url, { archive: testFolder() });
    const path = fileOf("ethereum.raw_transactions", 0, 99);
    const first = await server.ask(path);
    expect(first.status).toBe(200);
    expect(gate.methods()).toContain("eth_getBlockReceipts");
    const asked = gate.requests.length;
    const second = await server.ask(path);
    expect(second.text).toBe(first.text);
    const more = gate.methods().slice(gate.methods().length - (gate.requests.length - asked));
    expect(more).not.toContain("eth_getBlockReceipts");
  });
});

describe("limits of files of datasets", () => {
  const some = fileOf("ethereum.raw_blocks", 0, 9);

  it("refuse more files at a time: for a project, and for the server", async () => {
    const gate = await node();
    const server = await served(gate.url, { limits: { files: { perCaller: 1, total: 2 } } });
    const [second, third] = [await server.addKey("Viewer", "other"), await server.addKey("Viewer", "third")];
    gate.hold();
    const running = [server.ask(some)];
    await until(() => gate.requests.length > 0);
    const again = await server.ask(some);
    expect([again.status, again.headers.get("retry-after")]).toEqual([429, "5"]);
    // Either of two requests at once may be the first to arrive.
    const both = [server.ask(some, { key: second }), server.ask(some, { key: second })];
    expect((await Promise.race(both)).status).toBe(429);
    running.push(...both);
    const full = await server.ask(some, { key: third });
    expect([full.status, full.headers.get("retry-after")]).toEqual([503, "5"]);
    gate.release();
    expect((await Promise.all(running)).map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    expect((await server.ask(some, { key: third })).status).toBe(200);
  });

  it("end the work when the client leaves", async () => {
    const gate = await node();
    const outcomes: string[] = [];
    const nothing = (): void => undefined;
    const meters: Meters = {
      answered: nothing,
      askedNode: nothing,
      called: nothing,
      delivered: nothing,
      queried: nothing,
      madeFile: (network, outcome) => outcomes.push(`${network} ${outcome}`),
    };
    const server = await served(gate.url, { meters, limits: { files: { perCaller: 1 } } });
    gate.hold();
    const gone = new AbortController();
    const authorization = `Bearer ${server.token}`;
    const asking = fetch(`${server.url}${fileOf("ethereum.raw_transactions", 0, 249)}`, {
      headers: { authorization },
      signal: gone.signal,
    });
    await until(() => gate.requests.length > 0);
    gone.abort();
    await expect(asking).rejects.toThrow();
    await until(() => outcomes.length > 0);
    expect(outcomes).toEqual(["mainnet cancelled"]);
    gate.release();
    // The place is free again, and nothing was read for the client that has gone.
    expect((await server.ask(some)).status).toBe(200);
    expect(gate.methods()).not.toContain("eth_getBlockReceipts");
    expect(outcomes).toEqual(["mainnet cancelled", "mainnet made"]);
  });

  it("end work that takes too long, and files that are too large", async () => {
    const gate = await node();
    const late = await served(gate.url, { limits: { file: { time: 500 } } });
    gate.hold();
    const slow = await late.ask(some);
    expect([slow.status, slow.text]).toEqual([413, expect.stringContaining("longer than 0.5 seconds")]);
    gate.release();
    const small = await served(gate.url, { limits: { file: { bytes: 1_000 } } });
    const large = await small.ask(some);
    expect([large.status, large.text]).toEqual([413, expect.stringContaining("Ask for fewer blocks.")]);
  });
});
