import { pino } from "pino";
import { expect, it } from "vitest";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import { createApp } from "../../../src/platform/http/app.js";
import type { Database } from "../../../src/store/database/database.js";
import { createQueryHosting, queryPlatform } from "../../support/server/query-hosting.js";

/** Sends two requests to a public address that allows one. @returns the status of the second, and the logged clients */
async function askTwice(trustedProxies: readonly string[], forwarded: readonly [string, string]) {
  const lines: string[] = [];
  const made = queryPlatform({ query: async () => [] } as unknown as Database, createQueryHosting());
  const platform = { ...made, settings: { ...made.settings, trustedProxies } };
  const routes = endpoints({ publicRate: { requests: 1, seconds: 10 } });
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const app = await createApp(platform, [routes], logger);
  const ask = async (from: string): Promise<number> => {
    const url = "/api/public/p/subgraphs/pools/1/gn";
    const headers = { "content-type": "application/json", "x-forwarded-for": from };
    const answer = await app.inject({
      method: "POST",
      url,
      headers,
      remoteAddress: "10.0.0.9",
      payload: "{}",
    });
    return answer.statusCode;
  };
  await ask(forwarded[0]);
  const second = await ask(forwarded[1]);
  await app.close();
  return { second, clients: lines.map((line) => JSON.parse(line).client).filter(Boolean) };
}

it.each([
  ["a trusted proxy names the client", ["10.0.0.0/8"], ["8.8.8.8", "8.8.4.4"], 404, ["8.8.8.8", "8.8.4.4"]],
  [
    "a trusted proxy names the client, and addresses that clients add are ignored",
    ["10.0.0.9"],
    ["1.1.1.1, 8.8.8.8", "2.2.2.2, 8.8.8.8"],
    429,
    ["8.8.8.8", "8.8.8.8"],
  ],
  [
    "the port in a trusted proxy's header is ignored",
    ["10.0.0.9"],
    ["8.8.8.8:1000", "8.8.8.8:1001"],
    429,
    ["8.8.8.8", "8.8.8.8"],
  ],
  [
    "an IPv6 address from a trusted proxy counts by network, also in brackets",
    ["10.0.0.9"],
    ["[2001:db8::1]:1000", "2001:db8::2"],
    429,
    ["2001:db8::1", "2001:db8::2"],
  ],
  [
    "a trusted proxy counts as the client if it sends something other than an address",
    ["10.0.0.9"],
    ["8.8.8.8, unknown-1", "8.8.4.4, unknown-2"],
    429,
    ["10.0.0.9", "10.0.0.9"],
  ],
  [
    "without trusted proxies, the header is ignored",
    [],
    ["8.8.8.8", "8.8.4.4"],
    429,
    ["10.0.0.9", "10.0.0.9"],
  ],
  [
    "the header of an untrusted proxy is ignored",
    ["10.0.0.8"],
    ["8.8.8.8", "8.8.4.4"],
    429,
    ["10.0.0.9", "10.0.0.9"],
  ],
] as const)("%s", async (_, trusted, forwarded, status, clients) => {
  expect(await askTwice(trusted, forwarded)).toEqual({ second: status, clients });
});
