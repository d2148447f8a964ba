import { expect, it, onTestFinished } from "vitest";
import { openOwnService } from "../../../src/cli/serve/open-own-service.js";
import { startServer } from "../../../src/platform/start-server.js";
import { makeChain, putTransfers } from "../../support/data/made-chain.js";
import { onPglite, world } from "../../support/database/databases.js";
import { startDouble } from "../../support/network/double-server.js";
import { keptOpen } from "../../support/server/platform-server.js";

const { fresh } = onPglite();

interface ReceivedCall {
  readonly at: number;
  readonly method: string;
}

/** A node that knows balances, or another chain's node, and the calls that it got. */
async function nodeOf(chainId: string, balance: string) {
  const calls: ReceivedCall[] = [];
  const node = await startDouble(async ({ body }) => {
    const read: unknown = JSON.parse(body.toString());
    const asked = [read].flat() as readonly { readonly id: number; readonly method: string }[];
    const at = Date.now();
    calls.push(...asked.map(({ method }) => ({ at, method })));
    const answers = asked.map(({ id, method }) => ({
      jsonrpc: "2.0",
      id,
      result: method === "eth_chainId" ? chainId : balance,
    }));
    const text = JSON.stringify(Array.isArray(read) ? answers : answers[0]);
    return { status: 200, body: text, type: "application/json" };
  });
  onTestFinished(() => node.stop());
  return { url: node.url, calls };
}

/** A server with a data service, on a chain whose tables are filled. */
async function serverOf(urls: readonly string[], requestsPerSecond?: number) {
  const database = keptOpen(await fresh());
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const server = await startServer({
    database,
    world,
    secretKey: new Uint8Array(32).fill(7),
    requestsPerSecond,
    host: "127.0.0.1",
    port: 0,
    version: "0.0.0-test",
    nodes: new Map([["mainnet", urls]]),
    engines: { database: "memory", verify: "bloom" },
    dataService: (nodes) => openOwnService(database, new Uint8Array(32).fill(7), nodes, ending.signal),
  });
  onTestFinished(() => server.close());
  await makeChain(database, { chain: "ethereum", head: 9, final: 3 });
  const [from, to, token] = ["a", "b", "c"].map((digit) => `0x${digit.repeat(40)}`) as [
    string,
    string,
    string,
  ];
  const transfer = { block: 1, transaction: 0, log: 0, from, to, token, amount: 1n };
  await putTransfers(database, "ethereum", [transfer]);
  const keyOf = async (product: string): Promise<string> => {
    const headers = { authorization: `Bearer ${server.newKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ name: product, product });
    const answer = await fetch(`${server.address}/api/v1/edge`, { method: "POST", headers, body });
    return ((await answer.json()) as { data: { api_key: string } }).data.api_key;
  };
  const [data, rpc] = [await keyOf("data"), await keyOf("rpc")];
  return {
    server,
    balances: async (wallet: string) => {
      const query = new URLSearchParams({ address: wallet, include_unknown_price: "true" });
      const headers = { "x-api-key": data };
      const answer = await fetch(`${server.address}/edge/data/feeds/wallets/balances?${query}`, { headers });
      return { status: answer.status, text: await answer.text() };
    },
    edge: (method: string, ...params: readonly unknown[]) =>
      fetch(`${server.address}/edge/rpc/mainnet?secret=${rpc}`, {
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      }),
  };
}

const walletOf = (number: number): string => `0x${String(number).padStart(40, "0")}`;

it("the data service of a server uses the server's budget of requests, and asks nothing twice", async () => {
  const node = await nodeOf("0x1", `0x${"7".padStart(64, "0")}`);
  const [rate, wallets] = [10, 30];
  const { balances, edge } = await serverOf([node.url], rate);
  const began = Date.now();
  const answers = await Promise.all(
    Array.from({ length: wallets }, async (_, index) => {
      if (index < 6) await edge("eth_getTransactionCount", walletOf(index), "latest");
      return balances(walletOf(index));
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(wallets).fill(200));
  expect(answers[0]?.text).toContain('"balance_raw":"7"');
  const times = node.calls.map(({ at }) => at);
  // Requests may arrive late, but none is sent before the first question.
  const elapsed = ((times.at(-1) ?? 0) - began) / 1_000;
  // A second may begin with what was not used before it.
  expect(times.length).toBeLessThanOrEqual(rate * (elapsed + 1) + 1);
  const count = (method: string): number => node.calls.filter((call) => call.method === method).length;
  expect(count("eth_getBalance")).toBe(wallets);
  expect(count("eth_chainId")).toBe(1);
  const before = node.calls.length;
  expect(await balances(walletOf(3))).toEqual(answers[3]);
  expect(node.calls.length).toBe(before);
});

it("the data service asks no node of another chain", async () => {
  const [wrong, right] = [await nodeOf("0x89", "0x9"), await nodeOf("0x1", "0x7")];
  const { balances } = await serverOf([wrong.url, right.url]);
  const { status, text } = await balances(walletOf(1));
  expect([status, text]).toEqual([200, expect.stringContaining('"balance_raw":"7"')]);
  expect(new Set(wrong.calls.map(({ method }) => method))).toEqual(new Set(["eth_chainId"]));
});
