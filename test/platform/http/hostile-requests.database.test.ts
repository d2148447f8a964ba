import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneClient } from "../../../src/platform/endpoints/options.js";
import { createSignInCodes } from "../../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { serverParts } from "../../../src/platform/server-parts.js";
import { onPglite, world } from "../../support/database/databases.js";
import { sampleBundle } from "../../support/server/management-sample.js";
import { deployForm, startPlatform, type TestPlatform } from "../../support/server/platform-server.js";

let server: TestPlatform;
let cookie: string;
let here: string;
beforeAll(async () => {
  server = await startPlatform(await onPglite().fresh(), {
    parts: serverParts({ codes: createSignInCodes(world), accounts: createAccounts(world) }, oneClient),
  });
  const body = new URLSearchParams({ key: server.token });
  const signedIn = await fetch(`${server.address}/sign-in`, { method: "POST", redirect: "manual", body });
  cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  await server.ask("/subgraphs/pools/deployments/1", { method: "PUT", form: deployForm(sampleBundle()) });
  here = `/api/public/${server.project}/subgraphs/pools/1/gn`;
});
afterAll(() => server.close());

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const deepQuery = (depth: number): string => `{"query":"{ a }","variables":{"x":${nested(depth)}}}`;

describe("a hostile request never causes a server error", () => {
  it.each([
    ["to a public endpoint", () => here],
    ["to a deployment", () => "/subgraphs/name/pools"],
    ["to the status endpoint", () => "/index-node/graphql"],
    ["to the API", () => "/api/v1/edge"],
    ["to the login", () => "/api/v1/auth/token"],
  ])("with a body %s that is nested 5,000 levels deep", async (_, path) => {
    const answer = await server.ask(server.address + path(), { method: "POST", body: deepQuery(5_000) });
    expect([answer.status, answer.json.detail]).toEqual([400, expect.stringContaining("nested")]);
  });

  it("with variables of the maximum depth", async () => {
    const answer = await server.ask(server.address + here, { method: "POST", body: deepQuery(50) });
    expect(answer.status).toBe(200);
  });

  it.each([
    "/dashboard/%00/1",
    "/dashboard/pools/%001",
    "/dashboard/pools/1/entities/a%00",
    "/api/v1/subgraphs/a%00b",
    "/api/public/a%00/subgraphs/pools/1/gn",
    "/subgraphs/name/%00",
    "/invitations/%00",
    "/audit?before=%00",
    "/dashboard/pools/1/log?search=%00",
    "/?after=%00",
    "/authorize?response_type=code&client_id=graphloom-cli&code_challenge=x&redirect_uri=http://127.0.0.1:99999/cb",
    "/authorize?redirect_uri=http://127.0.0.1:99999/cb",
  ])("for the path %s", async (path) => {
    for (const headers of [{ cookie }, {}] as const) {
      const answer = await fetch(server.address + path, { headers, redirect: "manual" });
      await answer.text();
      expect(answer.status).toBeLessThan(500);
      if (path.startsWith("/dashboard/%00")) expect(answer.status).toBe(400);
    }
  });
});
