import { expect, it } from "vitest";
import type { World } from "../../../src/base/world.js";
import type { HistorySource } from "../../../src/runtime/indexer/history/history-source.js";
import { longestLine } from "../../../src/runtime/sources/line-reader.js";
import { createPortalSource } from "../../../src/runtime/sources/portal/portal-source.js";
import { factoryAddress, topics } from "../../support/pool/contracts.js";
import { Pool } from "../../support/pool/pool.js";
import { PlayedPortal, type PortalOptions } from "../../support/portal/played-portal.js";
import { playedWorld } from "../../support/portal/played-world.js";

const { tip } = new Pool({ seed: 40, length: 200, busy: 0.3, disturbance: 0, lag: 0, change: 0 });
const filter = [{ addresses: [factoryAddress], topics: [topics.Made ?? ""] }];
const address = "http://user:secret-key@portal.example/datasets/played";

interface Opened {
  readonly source: HistorySource;
  readonly portal: PlayedPortal;
  readonly notes: string[];
  readonly world: World;
}

function open(options: Partial<PortalOptions> = {}, fetch?: World["fetch"]): Opened {
  const portal = new PlayedPortal({ seed: 1, tip, final: 20, ...options });
  const played = playedWorld(portal);
  const world = { ...played, fetch: fetch ?? played.fetch };
  const notes: string[] = [];
  return {
    source: createPortalSource(address, world, { onNote: (why) => notes.push(why) }),
    portal,
    notes,
    world,
  };
}

/** A source whose answers to requests for streams begin with others. */
function after(
  first: readonly (() => Response | Promise<never>)[],
  options: Partial<PortalOptions> = {},
): Opened {
  const answers = [...first];
  const opened = open(options);
  const fetch: World["fetch"] = (url, request) => {
    const answer = request.method === "POST" ? answers.shift() : undefined;
    return answer ? Promise.resolve(answer()) : opened.world.fetch(url, request);
  };
  const world = { ...opened.world, fetch };
  const notes: string[] = [];
  return {
    ...opened,
    world,
    notes,
    source: createPortalSource(address, world, { onNote: (why) => notes.push(why) }),
  };
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, step) => from + step);

it("a Portal gives all blocks of a range, with the logs of a filter and their transactions", async () => {
  const { source, portal, notes } = open({ part: 17 });
  expect(await source.reach()).toBe(179);
  const blocks = (await source.blocks({ from: 0, to: 120 }, filter)) ?? [];
  expect(blocks.map(({ block }) => block.number)).toEqual(numbers(0, 120));
  const logs = blocks.flatMap((block) => block.logs);
  expect(logs.length).toBeGreaterThan(5);
  for (const log of logs) expect(log).toMatchObject({ address: factoryAddress, topics: [topics.Made] });
  for (const { block, logs: own } of blocks)
    expect([...block.transactions.keys()].sort()).toEqual(
      [...new Set(own.map(({ transactionHash }) => transactionHash))].sort(),
    );
  expect(portal.asked[0]?.logs).toEqual([
    { address: [factoryAddress], topic0: [topics.Made], transaction: true },
  ]);
  expect(notes).toEqual([]);
});

it("ranges that follow each other share a stream while the filter stays the same", async () => {
  const { source, portal } = open();
  await source.reach();
  await source.blocks({ from: 0, to: 9 }, filter);
  await source.blocks({ from: 10, to: 19 }, filter);
  const before = portal.asked.length;
  await source.blocks({ from: 20, to: 39 }, filter);
  await source.blocks({ from: 40, to: 99 }, filter);
  expect(portal.asked.length).toBeLessThanOrEqual(before + 1);
  const other = [{ addresses: [], topics: [topics.Moved ?? ""] }];
  const blocks = await source.blocks({ from: 100, to: 149 }, other);
  expect(blocks?.map(({ block }) => block.number)).toEqual(numbers(100, 149));
  expect(portal.asked.at(-1)).toMatchObject({ fromBlock: 100, logs: [{ topic0: [topics.Moved] }] });
});

it("after 429, a range waits as long as Retry-After says", async () => {
  const limited = (): Response => new Response("slow", { status: 429, headers: { "retry-after": "7" } });
  const { source, world, notes } = after([limited, limited]);
  const before = world.now();
  expect(await source.blocks({ from: 0, to: 5 }, filter)).toHaveLength(6);
  expect(world.now() - before).toBeGreaterThanOrEqual(14_000);
  expect(notes).toEqual([]);
});

it("a Retry-After of hours leaves the range to the node, and no request is sent meanwhile", async () => {
  const limited = (): Response => new Response("slow", { status: 429, headers: { "retry-after": "3000" } });
  const { source, portal, notes, world } = after([limited]);
  expect(await source.blocks({ from: 0, to: 5 }, filter)).toBeUndefined();
  expect(await source.blocks({ from: 6, to: 9 }, filter)).toBeUndefined();
  expect(await source.reach()).toBe(-1);
  expect(portal.asked).toEqual([]);
  expect(notes).toEqual([
    "the source portal=http://portal.example: it answered with HTTP status 429: slow. Blocks 0 to 5 are read from the node, as all others in the next 3000 s.",
  ]);
  await world.sleep(3_000_000);
  expect(await source.blocks({ from: 0, to: 5 }, filter)).toHaveLength(6);
});

it("409 begins the range again, without the hash that the Portal no longer has", async () => {
  const { source, portal, notes } = after([], { most: 4 });
  const real = portal.answer.bind(portal);
  let conflicts = 1;
  portal.answer = (method, path, body) => {
    if (!body.includes("parentBlockHash") || conflicts-- <= 0) return real(method, path, body);
    return {
      status: 409,
      headers: {},
      parts: [new TextEncoder().encode('{"previousBlocks":[]}')],
      end: "whole",
    };
  };
  const blocks = await source.blocks({ from: 0, to: 9 }, filter);
  expect(blocks?.map(({ block }) => block.number)).toEqual(numbers(0, 9));
  expect(portal.asked.map(({ fromBlock }) => fromBlock)).toEqual([0, 0, 4, 8]);
  expect(notes).toEqual([]);
});

it("fields that a Portal does not know are left out from then on", async () => {
  const { source, portal } = open({ unknownFields: ["withdrawalsRoot"] });
  expect(await source.blocks({ from: 0, to: 5 }, filter)).toHaveLength(6);
  expect(portal.asked).toHaveLength(3);
  expect(Object.keys(portal.asked[2]?.fields.block ?? {})).toEqual(
    expect.arrayContaining(["hash", "parentHash", "logsBloom", "receiptsRoot", "transactionsRoot"]),
  );
});

it("a line that does not end is not read to its end", async () => {
  let sent = 0;
  const endless = (): Response =>
    new Response(
      new ReadableStream({
        pull: (controller) => {
          sent += 1024 * 1024;
          controller.enqueue(new Uint8Array(1024 * 1024).fill(97));
        },
      }),
    );
  const { source, notes } = after([endless]);
  expect(await source.blocks({ from: 0, to: 5 }, filter)).toBeUndefined();
  expect(sent).toBeLessThan(longestLine + 8 * 1024 * 1024);
  expect(notes[0]).toContain("a line of more than 32 MiB");
});

it("a Portal that fails every range is not used any longer", async () => {
  const { source, notes, world, portal } = open({ start: 0, lag: 1_000 });
  for (let time = 0; time < 7; time++) {
    expect(await source.blocks({ from: 0, to: 5 }, filter)).toBeUndefined();
    await world.sleep(61_000);
  }
  expect(portal.asked).toHaveLength(5);
  expect(notes.at(-1)).toContain("It is not used any longer: all blocks are read from the node");
});

it("a redirect is not followed, and no message contains the key", async () => {
  const redirect = (): Response =>
    new Response(null, { status: 302, headers: { location: "http://other.example/?secret-key" } });
  const { source, notes } = after([redirect]);
  expect(await source.blocks({ from: 0, to: 5 }, filter)).toBeUndefined();
  expect(notes.join()).toContain("a redirect to http://other.example");
  expect(notes.join()).not.toContain("secret-key");
});

it("a list of contracts that is too long for a request is replaced by its topics", async () => {
  const { source, portal } = open();
  const addresses = Array.from({ length: 6_000 }, (_, at) => `0x${at.toString(16).padStart(40, "0")}`);
  const long = [
    { addresses: [...addresses, factoryAddress], topics: [topics.Made ?? "", topics.Moved ?? ""] },
  ];
  const blocks = (await source.blocks({ from: 0, to: 100 }, long)) ?? [];
  expect(portal.asked[0]?.logs[0]?.address).toBeUndefined();
  const logs = blocks.flatMap((block) => block.logs);
  expect(logs.length).toBeGreaterThan(0);
  expect(new Set(logs.map((log) => log.address))).toEqual(new Set([factoryAddress]));
});

it("an address that is not a web URL is refused without quoting it", () => {
  const { world } = open();
  expect(() => createPortalSource("ftp://secret", world, { onNote: () => undefined })).toThrow(
    /^The address of the Portal is not a URL/,
  );
});
