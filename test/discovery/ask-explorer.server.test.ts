import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { askCreation, askExplorer, type Explorer } from "../../src/discovery/ask-explorer.js";
import { event } from "../compiler/abi/entries.js";
import { fastWorld } from "../support/worlds.js";

const abi = JSON.stringify([event("Transfer", "address from")]);
const address = `0x${"ab".repeat(20)}`;
const key = "very secret/key";
const world = fastWorld();

let server: Server;
let asked: URL[] = [];
let answer: { status?: number; body: string } = { body: "" };

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(new URL(request.url ?? "", "http://explorer"));
    response.writeHead(answer.status ?? 200).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function explorer(): Explorer {
  asked = [];
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v2/api`, key, chainId: "8453" };
}

function says(result: unknown): void {
  answer = { body: JSON.stringify({ status: "1", message: "OK", result }) };
}

it("the client of explorers returns the ABI, the name and the implementation of a proxy", async () => {
  says([{ ABI: abi, ContractName: "Token", Proxy: "1", Implementation: `0x${"CD".repeat(20)}` }]);
  const told = await askExplorer(explorer(), address, world);
  expect(told).toMatchObject({ kind: "contract", name: "Token", implementation: `0x${"cd".repeat(20)}` });
  expect(told.kind === "contract" && told.abi.abi.events.map(({ name }) => name)).toEqual(["Transfer"]);
  expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
    chainid: "8453",
    module: "contract",
    action: "getsourcecode",
    address,
    apikey: key,
  });
});

it("the client of explorers returns the block of the creation", async () => {
  says([{ contractAddress: address, blockNumber: "6082465" }]);
  expect(await askCreation(explorer(), address, world)).toEqual({ kind: "found", block: 6082465 });
  says([{ contractAddress: address }]);
  expect(await askCreation(explorer(), address, world)).toMatchObject({ kind: "none" });
});

it.each([
  ["no ABI", JSON.stringify({ result: [{ ABI: "Contract source code not verified" }] }), "not verified"],
  [
    "a refusal",
    JSON.stringify({ status: "0", message: "NOTOK", result: "Invalid API Key" }),
    "Invalid API Key",
  ],
  ["a refusal that repeats the key", JSON.stringify({ result: `bad ${key} \u001b[2J` }), "bad … \\u001b[2J"],
  [
    "a refusal that repeats the request",
    JSON.stringify({ result: `no luck with /api?${new URLSearchParams({ apikey: key })}&a=b` }),
    "apikey=…&a=b",
  ],
  ["no JSON", "<html>", "without JSON"],
  ["an invalid ABI", JSON.stringify({ result: [{ ABI: "[1, 2]" }] }), "not an ABI"],
  [
    "an ABI with nonsense",
    JSON.stringify({ result: [{ ABI: '[{"type":"event","name":"\\u001b"}]' }] }),
    "cannot be read",
  ],
  ["an empty list", JSON.stringify({ result: [] }), "does not know"],
  ["an answer that is too long", `"${"x".repeat(33 * 1_048_576)}"`, "longer than 32 MiB"],
])("the client of explorers returns no ABI for %s, and never shows the key", async (_, body, why) => {
  answer = { body };
  const told = await askExplorer(explorer(), address, world);
  expect(told).toMatchObject({ kind: "none", why: expect.stringContaining(why) });
  expect(JSON.stringify(told)).not.toMatch(/very.secret|secret.key/);
  expect(JSON.stringify(told)).not.toContain("\u001b");
});

it("the client of explorers retries when necessary, and reports a missing answer", async () => {
  answer = { status: 503, body: "busy" };
  expect(await askExplorer(explorer(), address, world)).toMatchObject({ why: "status 503 without JSON" });
  expect(asked.length).toBe(3);
  const gone = { ...explorer(), url: "http://127.0.0.1:9/api" };
  const told = await askExplorer(gone, address, world);
  expect(told).toMatchObject({ kind: "none", why: expect.stringContaining("http://127.0.0.1:9") });
  expect(JSON.stringify(told)).not.toContain("secret");
});
