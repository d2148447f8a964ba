import { get } from "node:http";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../src/platform/http/app.js";
import { createSignInCodes } from "../../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { ownHosts } from "../../../src/platform/reach.js";
import { serverParts } from "../../../src/platform/server-parts.js";
import type { Database } from "../../../src/store/database/database.js";
import { onPglite, world } from "../../support/database/databases.js";
import { startPlatform, type TestPlatform } from "../../support/server/platform-server.js";
import { createQueryHosting, queryPlatform } from "../../support/server/query-hosting.js";

const databases = onPglite();
const logged: string[] = [];
let server: TestPlatform;

beforeAll(async () => {
  server = await startPlatform(await databases.fresh(), {
    parts: serverParts({ codes: createSignInCodes(world), accounts: createAccounts(world) }),
    logger: pino({ base: null }, { write: (line: string) => void logged.push(line) }),
  });
});
afterAll(() => server.close());

/** Sends a request with a Host header. */
const askAs = (host: string, path: string) =>
  new Promise<number | undefined>((done, fail) =>
    get({ port: new URL(server.address).port, path, headers: { host } }, (answer) =>
      done(answer.resume().statusCode),
    ).on("error", fail),
  );

describe("the Host header of a request", () => {
  it.each([
    "/sign-in",
    "/health",
    "/api/v1/auth",
    "/subgraphs/name/x",
    "/nothing",
  ])("must name this machine for %s", async (path) => {
    const foreign = ["evil.example", "127.0.0.1.evil.example:80", "localhost.evil.example", "10.0.0.1"];
    expect(await Promise.all(foreign.map((host) => askAs(host, path)))).toEqual([421, 421, 421, 421]);
    const asItIs = (await server.ask(server.address + path, { key: undefined })).status;
    for (const host of ["localhost", "127.0.0.1:1", "[::1]", "LOCALHOST.:80", "a.localhost"]) {
      const status = await askAs(host, path);
      expect([host, status === 302 ? 200 : status]).toEqual([host, asItIs]);
    }
  });

  it.each([
    [{ host: "127.0.0.1" }, "graph.example", false],
    [{ host: "127.0.0.1", publicAddress: "https://Graph.example/below" }, "graph.example", true],
    [{ host: "127.0.0.1", publicAddress: "https://graph.example" }, "evil.example", false],
    [{ host: "::1", publicAddress: "https://graph.example" }, "127.0.0.1", true],
    // A proxy may pass its own name for the server, and other machines may use any name of this machine.
    [{ host: "127.0.0.1", trustedProxies: ["127.0.0.1"] }, "graph.example", undefined],
    [{ host: "0.0.0.0" }, "graph.example", undefined],
    [{ host: "10.0.0.1", publicAddress: "https://graph.example" }, "evil.example", undefined],
  ])("for a server with %j, may be %s: %s", (reach, name, expected) => {
    expect(ownHosts(reach)?.(name)).toBe(expected);
  });
});

describe("answers", () => {
  const fill = (url: string): string =>
    server.address + url.replace(":id", server.project).replaceAll(/:\w+/g, "x").replaceAll("*", "x");

  it("to a key forbid caching and type guessing; answers without a key say how to send one", async () => {
    const guarded = server.routes.filter(
      ({ role, method, isPage }) => role !== "anyone" && method !== "HEAD" && !isPage,
    );
    const said = [];
    for (const { method, url } of guarded) {
      const { status, headers } = await server.ask(fill(url), { method, key: undefined });
      said.push([method, url, status, headers.get("www-authenticate"), headers.get("cache-control")]);
      if (method !== "GET") continue;
      const known = (await server.ask(fill(url))).headers;
      expect([url, known.get("cache-control"), known.get("x-content-type-options")]).toEqual([
        url,
        "no-store",
        "nosniff",
      ]);
    }
    expect(guarded.filter(({ method }) => method === "GET").length).toBeGreaterThan(10);
    expect(said).toEqual(
      guarded.map(({ method, url }) => [method, url, 401, 'Bearer realm="graphloom"', "no-store"]),
    );
  });

  it("to queries forbid type guessing, too", async () => {
    const body = { query: "{ _meta { block { number } } }" };
    const answer = await server.ask(`${server.address}/subgraphs/name/x`, { method: "POST", body });
    const { headers } = answer;
    expect([headers.get("content-type"), headers.get("x-content-type-options")]).toEqual([
      "application/json",
      "nosniff",
    ]);
    expect(headers.get("cache-control")).toBeNull();
  });

  it("allow pages of other sites only edge endpoints and queries, also in preflights", async () => {
    const preflight = async (path: string) => {
      const headers = { origin: "https://app.example", "access-control-request-method": "POST" };
      const answer = await fetch(server.address + path, { method: "OPTIONS", headers });
      return [path, answer.status, answer.headers.get("access-control-allow-origin")];
    };
    const api = "/api/v1/subgraphs";
    const edge = "/edge/rpc/mainnet";
    const queries = `/api/public/${server.project}/subgraphs/x/1/gn`;
    expect(await Promise.all([api, "/keys", edge, "/edge/data/x", queries].map(preflight))).toEqual([
      [api, 405, null],
      ["/keys", 405, null],
      [edge, 204, "https://app.example"],
      ["/edge/data/x", 204, "https://app.example"],
      [queries, 204, "*"],
    ]);
    const { headers } = await server.ask(api, { headers: { origin: "https://app.example" } });
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  it.each([
    ["https://graph.example", "max-age=31536000"],
    ["http://127.0.0.1:8030", undefined],
  ])("of a server at %s require https correctly", async (address, expected) => {
    const made = queryPlatform({ query: async () => [] } as unknown as Database, createQueryHosting());
    const platform = { ...made, settings: { ...made.settings, address: () => address } };
    const app = await createApp(platform, []);
    const { headers } = await app.inject({ url: "/nothing" });
    await app.close();
    expect(headers["strict-transport-security"]).toBe(expected);
  });
});

it("the server logs no token of a path, even if no route matches the path", async () => {
  const tokens = {
    invitation: `gli_${"a".repeat(32)}`,
    reset: `glp_${"b".repeat(32)}`,
    key: `gl_${"c".repeat(32)}`,
    short: "d".repeat(12),
  };
  const { invitation, reset, key, short } = tokens;
  const asked = [
    ["GET", `/invitations/${invitation}/join`],
    ["GET", `/invitations/${invitation}/account`],
    ["PUT", `/invitations/${invitation}`],
    ["GET", `/invitations/${short}/nothing`],
    ["GET", `//invitations/${invitation}`],
    ["POST", `/password/${reset}/x`],
    ["GET", `/api/v1/subgraphs/${key}/more`],
    ["GET", `/?token=${key}`],
  ] as const;
  logged.length = 0;
  for (const [method, path] of asked) await fetch(server.address + path, { method, redirect: "manual" });
  await expect.poll(() => logged.filter((line) => line.includes('"answered"')).length).toBe(asked.length);
  const lines = logged.join("");
  for (const [name, token] of Object.entries(tokens)) {
    expect([name, lines.includes(token)]).toEqual([name, false]);
  }
  expect(lines).toContain('"path":"/invitations/:token/join"');
  expect(lines).toContain('"path":"/api/v1/subgraphs/gl_…/more"');
});
