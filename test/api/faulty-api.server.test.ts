import { beforeEach, describe, expect, it } from "vitest";
import { renderProblem } from "../../src/api/answers/problem.js";
import type { HttpError } from "../../src/web/http/http-error.js";
import type { ProxyFault } from "../support/network/faulty-proxy.js";
import { sampleBundle } from "../support/server/management-sample.js";
import { token } from "../support/server/project-server.js";
import { failure } from "../web/http/harness.js";
import { type Pair, problemOf, usePairs } from "./harness.js";

const startPair = usePairs();
let pair: Pair;
beforeEach(async () => {
  pair = await startPair();
});

const status = (code: number, text = "", headers: Record<string, string> = {}): ProxyFault => ({
  kind: "status",
  status: code,
  text,
  headers,
});
const deploy = (bundle = sampleBundle()): Promise<unknown> => pair.api.deploy("pools", "1.0.0", { bundle });
const asked = (): number => pair.server.received.length;

/** A zip whose content cannot be compressed. */
function bigBundle(): Uint8Array {
  const bytes = new Uint8Array(3_000_000);
  for (let at = 0, value = 1; at < bytes.length; at++) {
    value = (value * 48_271) % 2_147_483_647;
    bytes[at] = value;
  }
  return bytes;
}

describe("a read request", () => {
  it("is retried after a cut connection, 502 and 429", async () => {
    pair.server.fail({ kind: "cut" }, status(502, "<html>Bad gateway</html>"));
    expect(await pair.api.supportedChains()).toContain("mainnet");
    pair.server.fail(status(429, "", { "retry-after": "9" }));
    expect(await pair.api.supportedChains()).toContain("mainnet");
    expect(pair.world.waits).toEqual([250, 500, 9000]);
  });

  it("gives up after the third attempt, and reports why", async () => {
    pair.server.rule(() => status(502, "<html>Bad gateway</html>"));
    const problem = await problemOf(pair.api.supportedChains());
    expect(renderProblem(problem)).toBe("Bad Gateway (502, after 3 attempts)\n  <html>Bad gateway</html>\n");
    expect(asked()).toBe(3);
  });

  it("gives up at once when the API asks for too long a wait", async () => {
    const text = JSON.stringify({ title: "Rate limited", status: 429 });
    pair.server.fail(status(429, text, { "retry-after": "3600" }));
    const problem = await problemOf(pair.api.supportedChains());
    expect(renderProblem(problem)).toBe("Rate limited (429)\nThe API asks you to wait 60 minutes.\n");
    expect([asked(), pair.world.waits]).toEqual([1, []]);
  });

  it("times out", async () => {
    pair.server.rule(() => ({ kind: "slow", milliseconds: 400 }));
    const error = await failure(pair.client({ timeout: 50 }).supportedChains());
    expect(error.message).toBe(
      `${new URL(pair.server.url).origin}: no answer within 0.05 s; gave up after 3 attempts`,
    );
  });

  it.each([
    ['{"data": {"supported_chains": ["main', 'is not JSON: "{"data": {"supported_chains": ["main"'],
    ["{}", "lacks /data"],
    ["[]", "has an unexpected value (expected object)"],
  ])("rejects the answer %s", async (text, what) => {
    pair.server.fail({ kind: "text", text });
    expect((await failure(pair.api.supportedChains())).message).toBe(
      `the API's answer to listSubgraphChains ${what}`,
    );
    expect(asked()).toBe(1);
  });
});

describe("a write request", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["pause", () => pair.api.pause("pools", "1.0.0")],
    ["setTag", () => pair.api.setTag("pools", "prod", "1.0.0")],
    ["updateSubgraph", () => pair.api.updateSubgraph("pools", "1.0.0", {})],
    ["deleteDeployment", () => pair.api.deleteDeployment("pools", "1.0.0")],
    ["deleteWebhook", () => pair.api.deleteWebhook("swaps")],
    ["deploy", () => deploy()],
  ])("is never retried: %s", async (_, change) => {
    pair.server.rule(() => status(503, "", { "retry-after": "1" }));
    expect(await problemOf(change())).toMatchObject({ status: 503, attempts: 1 });
    pair.server.rule(() => ({ kind: "cut" }));
    expect(await failure(change())).toMatchObject({ kind: "cut", mayHaveHappened: true });
    expect([asked(), pair.world.waits]).toEqual([2, []]);
  });
});

describe("an upload", () => {
  it("may have succeeded when the connection breaks during it", async () => {
    pair.server.fail({ kind: "cut-upload", after: 500_000 });
    const error = (await failure(deploy(bigBundle()))) as HttpError;
    expect([error.kind, error.mayHaveHappened, asked()]).toEqual(["cut", true, 1]);
    expect(await pair.api.getSubgraphVersion("pools", "1.0.0")).toBeUndefined();
  });

  it("may have succeeded when its answer is truncated", async () => {
    pair.server.fail({ kind: "cut-answer" });
    expect(await failure(deploy())).toMatchObject({ kind: "cut", mayHaveHappened: true });
    expect(await pair.api.getSubgraphVersion("pools", "1.0.0")).toMatchObject({ version: "1.0.0" });
  });

  it("may have succeeded when its answer is late", async () => {
    pair.server.fail({ kind: "slow", milliseconds: 400 });
    const late = pair.client({ timeout: 100 }).deploy("pools", "1.0.0", { bundle: sampleBundle() });
    expect(await failure(late)).toMatchObject({ kind: "timeout", mayHaveHappened: true });
  });
});

describe("the token", () => {
  it("is not shown when it is rejected, and the error explains what to do", async () => {
    const problem = await problemOf(pair.client({ token: "wr0ng" }).listSubgraphs());
    expect(renderProblem(problem)).toBe(
      "Unauthorized (401)\n" +
        "  The API key is unknown or was revoked.\n" +
        `  see ${pair.server.platform}/api/errors/unauthorized\n` +
        "Log in with `graphloom login`. An API key belongs to one project.\n",
    );
  });

  it("of a viewer cannot change anything", async () => {
    pair = await startPair({ role: "Viewer" });
    expect(await pair.api.listSubgraphs()).toEqual([]);
    expect(renderProblem(await problemOf(deploy()))).toContain("Forbidden (403)");
  });

  it.each<[string, (token: string) => ProxyFault]>([
    [
      "a problem",
      (token) => status(400, JSON.stringify({ title: token, detail: token, type: `https://e.com/${token}` })),
    ],
    ["an HTML page", (token) => status(500, `<b>${token}</b>`)],
    ["a redirect", (token) => status(302, "", { location: `https://e.com/${token}` })],
    ["an answer that is not JSON", (token) => ({ kind: "text", text: `token ${token}` })],
  ])("is not shown when %s repeats it", async (_, faultWith) => {
    pair.server.rule(() => faultWith(pair.server.token));
    const error = await failure(pair.api.pause("pools", "1.0.0").then(() => pair.api.supportedChains()));
    const problem = await problemOf(Promise.reject(error)).then(renderProblem, () => "");
    expect([error.message, problem, ...pair.lines].join("\n")).not.toContain(token);
  });

  it("is not sent when it contains characters that a header cannot hold", async () => {
    const error = await failure(pair.client({ token: "line\nbreak" }).supportedChains());
    expect(error.message).toMatch(
      /the header "authorization" contains characters that are not allowed in a header$/,
    );
    expect(asked()).toBe(0);
  });
});

describe("the secret of a webhook", () => {
  it("is not shown when a problem repeats it", async () => {
    pair.server.fail(
      status(400, JSON.stringify({ title: "Wrong", detail: "the secret hush-hush is too short" })),
    );
    const webhook = { name: "a", subgraph_name: "p", subgraph_version: "1", entity: "e", webhook_url: "u" };
    const problem = await problemOf(pair.api.createWebhook({ ...webhook, secret: "hush-hush" }));
    expect(problem.detail).toBe("the secret … is too short");
  });
});
