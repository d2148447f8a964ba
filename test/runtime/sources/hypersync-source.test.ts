import { describe, expect, it } from "vitest";
import type { World } from "../../../src/base/world.js";
import type { HistorySource } from "../../../src/runtime/indexer/history/history-source.js";
import { readHyperSyncPage } from "../../../src/runtime/sources/hypersync/hypersync-page.js";
import { createHyperSyncSource } from "../../../src/runtime/sources/hypersync/hypersync-source.js";
import { factoryAddress, topics } from "../../support/pool/contracts.js";
import { Pool } from "../../support/pool/pool.js";
import { PlayedPortal, type PortalOptions } from "../../support/portal/played-portal.js";
import { playedWorld } from "../../support/portal/played-world.js";

const { tip } = new Pool({ seed: 40, length: 200, busy: 0.3, disturbance: 0, lag: 0, change: 0 });
const filter = [{ addresses: [factoryAddress], topics: [topics.Made ?? ""] }];
const token = "secret-token-1234";

interface Opened {
  readonly source: HistorySource;
  readonly server: PlayedPortal;
  readonly notes: string[];
  readonly requests: { readonly url: string; readonly authorization: string | undefined }[];
  readonly world: World;
}

function open(options: Partial<PortalOptions> = {}, address = "http://history.example"): Opened {
  const server = new PlayedPortal({ seed: 1, kind: "hypersync", tip, final: 20, ...options });
  const played = playedWorld(server);
  const requests: Opened["requests"] = [];
  const fetch: World["fetch"] = (url, request) => {
    const headers = new Headers(request.headers);
    requests.push({ url, authorization: headers.get("authorization") ?? undefined });
    return played.fetch(url, request);
  };
  const notes: string[] = [];
  const world = { ...played, fetch };
  const source = createHyperSyncSource(address, token, world, { onNote: (why) => notes.push(why) });
  return { source, server, notes, requests, world };
}

it("a HyperSync server gives all blocks of a range over several pages, with logs and their transactions", async () => {
  const { source, server, notes, requests } = open({ most: 30 });
  expect(await source.reach()).toBe(179);
  const blocks = (await source.blocks({ from: 3, to: 120 }, filter)) ?? [];
  expect(blocks.map(({ block }) => block.number)).toEqual(Array.from({ length: 118 }, (_, step) => 3 + step));
  const logs = blocks.flatMap((block) => block.logs);
  expect(logs.length).toBeGreaterThan(5);
  for (const log of logs) expect(log).toMatchObject({ address: factoryAddress, topics: [topics.Made] });
  for (const { block, logs: own } of blocks)
    expect([...block.transactions.keys()].sort()).toEqual(
      [...new Set(own.map(({ transactionHash }) => transactionHash))].sort(),
    );
  expect(server.asked.map(({ fromBlock }) => fromBlock)).toEqual([3, 33, 63, 93]);
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(["/height", ...Array(4).fill("/query")]);
  expect(notes).toEqual([]);
});

it("the token is sent as a bearer token, and no message contains it", async () => {
  const { world } = open();
  const notes: string[] = [];
  const refused: string[] = [];
  const source = createHyperSyncSource(
    "http://history.example/query",
    token,
    {
      ...world,
      fetch: async (url, request) => {
        refused.push(`${url} ${new Headers(request.headers).get("authorization")}`);
        return new Response(`the token ${token} is not valid`, { status: 401 });
      },
    },
    { onNote: (why) => notes.push(why) },
  );
  expect(await source.blocks({ from: 0, to: 5 }, filter)).toBeUndefined();
  expect(refused).toEqual([`http://history.example/query Bearer ${token}`]);
  expect(notes).toEqual([
    "the source hypersync=http://history.example: it answered with HTTP status 401: the token … is not valid. It is not used any longer: all blocks are read from the node.",
  ]);
});

it("fields that a server does not know are left out from then on", async () => {
  const { source, server } = open({ unknownFields: ["requestsHash"] });
  expect(await source.blocks({ from: 0, to: 5 }, filter)).toHaveLength(6);
  expect(server.asked).toHaveLength(2);
  expect(Object.keys(server.asked[1]?.fields.block ?? {})).toContain("parentBeaconBlockRoot");
});

it("blocks that the server does not have yet are read from the node", async () => {
  const { source, notes } = open({ lag: 1_000 });
  expect(await source.blocks({ from: 0, to: 5 }, filter)).toBeUndefined();
  expect(notes[0]).toContain("Blocks 0 to 5 are read from the node");
});

describe("a page", () => {
  const header = {
    number: 7,
    hash: `0x${"07".repeat(32)}`,
    parent_hash: `0x${"06".repeat(32)}`,
    timestamp: "0x0065",
    nonce: "0x0000000000000000",
    sha3_uncles: `0x${"00".repeat(32)}`,
    logs_bloom: `0x${"00".repeat(256)}`,
    transactions_root: `0x${"00".repeat(32)}`,
    state_root: `0x${"00".repeat(32)}`,
    receipts_root: `0x${"00".repeat(32)}`,
    mix_hash: null,
    miner: `0x${"00".repeat(20)}`,
    difficulty: "0x",
    total_difficulty: "0x00",
    extra_data: "0x",
    size: "0x0200",
    gas_limit: "0x01c9c380",
    gas_used: "0x5208",
    base_fee_per_gas: null,
  };
  const log = {
    block_number: 7,
    log_index: 1,
    transaction_index: 0,
    transaction_hash: `0x${"aa".repeat(32)}`,
    address: factoryAddress,
    data: "0x",
    topic0: topics.Made,
    topic1: null,
    topic2: null,
    topic3: null,
  };
  const page = (data: object, more: object = {}): string =>
    JSON.stringify({ data: [data], archive_height: 100, next_block: 8, ...more });

  it("is read whether quantities have leading zeros, are numbers or are missing", () => {
    const { blocks, next, height } = readHyperSyncPage(page({ blocks: [header], logs: [log] }));
    expect([next, height]).toEqual([8, 100]);
    expect(blocks[0]?.block).toMatchObject({ number: 7, timestamp: 101n, lacksTransactions: true });
    expect(blocks[0]?.logs).toMatchObject([{ logIndex: 1, topics: [topics.Made] }]);
    // Some servers send one object in place of a list.
    expect(
      readHyperSyncPage(JSON.stringify({ data: { blocks: [header] }, next_block: 8 })).blocks,
    ).toHaveLength(1);
  });

  it.each([
    ["a cut answer", page({ blocks: [header] }).slice(0, 300), /is not JSON, or was cut short/],
    ["no next block", page({}, { next_block: "8" }), /has no next_block/],
    [
      "a log of no block",
      page({ blocks: [header], logs: [{ ...log, block_number: 6 }] }),
      /data of block 6 without/,
    ],
    [
      "a log without its block",
      page({ blocks: [header], logs: [{ ...log, block_number: null }] }),
      /without the number/,
    ],
    [
      "a gap in topics",
      page({ blocks: [header], logs: [{ ...log, topic0: null, topic1: log.topic0 }] }),
      /lacks a topic/,
    ],
    [
      "two logs with one index",
      page({ blocks: [header], logs: [log, { ...log, data: "0x00" }] }),
      /two logs with one index/,
    ],
    [
      "a header without a hash",
      page({ blocks: [{ ...header, hash: null }] }),
      /a block of its answer is malformed/,
    ],
    ["a word in place of rows", page({ blocks: "none" }), /something else in place of blocks/],
  ])("with %s is refused", (_, text, why) => {
    expect(() => readHyperSyncPage(text)).toThrow(why);
  });
});
