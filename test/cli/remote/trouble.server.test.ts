import { describe, expect, it } from "vitest";
import { run } from "../../../src/cli/program.js";
import type { Terminal } from "../../../src/cli/terminal/terminal.js";
import { type Api, deployed, token, useApi } from "./harness.js";

const api = useApi();

describe("a command whose server has a problem", () => {
  it("waits as long as the server asks, then retries", async () => {
    const all = await api();
    all.server.fail({ kind: "status", status: 429, headers: { "retry-after": "1" }, text: "{}" });
    const start = performance.now();
    const { code, err } = await all.run("subgraph list");
    expect(code).toBe(0);
    expect(performance.now() - start).toBeGreaterThan(1000);
    expect(err).toMatch(/^retrying in \d\.\d s: .*429/);
    expect(all.arrived()).toHaveLength(2);
  });

  it("retries a request that only reads", async () => {
    const all = await api();
    all.server.fail({ kind: "status", status: 502, text: "<html>" }, { kind: "cut" });
    expect((await all.run("subgraph list")).code).toBe(0);
    expect(all.arrived()).toHaveLength(3);
  });

  it("sends a change only once", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    all.server.rule(() => ({ kind: "status", status: 502, text: "<html>" }));
    for (const line of ["delete pools/1.0.0 -f", "pause pools/1.0.0", "tag create pools/1.0.0 -t prod"]) {
      const { code, err } = await all.run(`subgraph ${line}`);
      expect(code).toBe(3);
      expect(err).toContain("502");
      // The command then checks with a GET request whether the change was made.
      expect(all.arrived().filter((each) => !each.startsWith("GET"))).toHaveLength(1);
    }
  });

  it("names the failed request when the answer is invalid, without control characters", async () => {
    const all = await api();
    all.server.rule(() => ({ kind: "text", text: '{"data": [{"name": "\u001b[2J' }));
    const { code, out, err } = await all.run("subgraph list");
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain("listSubgraphs");
    expect(err).not.toContain("\u001b");
  });

  it("shows a hostile problem document short and escaped", async () => {
    const all = await api();
    const hostile = "\u001b]0;owned\u0007\u202egnirts\r\nExit code: 0";
    const text = JSON.stringify({
      type: "javascript:alert(1)",
      title: hostile,
      detail: "x".repeat(1_000_000) + hostile,
      errors: [{ field: hostile, message: hostile }],
    });
    all.server.rule(() => ({
      kind: "status",
      status: 400,
      text,
      headers: { "content-type": "application/problem+json" },
    }));
    const { code, out, err } = await all.run("subgraph list");
    expect([code, out]).toEqual([3, ""]);
    expect(err).not.toMatch(/[\p{Cf}]|[^\P{Cc}\n]/u);
    expect(err).not.toContain("javascript:");
    expect(err.length).toBeLessThan(5_000);
    expect(err.split("\n").length).toBeLessThan(8);
  });

  it("shows the fields and the link of a problem document", async () => {
    const all = await api();
    const text = JSON.stringify({
      type: "https://api.example.com/api/errors/validation",
      title: "Validation failed",
      detail: "One field is wrong.",
      errors: [{ field: "description", message: "is too long" }],
    });
    all.server.rule(() => ({
      kind: "status",
      status: 400,
      text,
      headers: { "content-type": "application/problem+json" },
    }));
    const { err } = await all.run("subgraph update pools/1.0.0 --description x");
    expect(err).toBe(
      "Validation failed (400)\n  One field is wrong.\n  description: is too long\n  see https://api.example.com/api/errors/validation\n",
    );
  });

  it("names a server that cannot be reached", async () => {
    const all = await api();
    await all.server.stop();
    const { code, err } = await all.run("subgraph pause pools/1.0.0");
    expect(code).toBe(3);
    expect(err).toContain(new URL(all.server.url).origin);
  });
});

it("--verbose shows every request, but no token", async () => {
  const all = await api();
  await deployed(all, "pools", "1.0.0");
  const { err } = await all.run("subgraph tag create pools/1.0.0 --tag prod --verbose");
  expect(err).toMatch(/^PUT http:\S+\/api\/v1\/subgraphs\/pools\/tags\/prod -> 200 \(.*\d+ ms\)\n$/);
  expect(err).not.toContain(token);
});

/** Runs a command in this process, in a terminal where the user gives this answer. */
async function answering({ server }: Api, answer: string | undefined, line: string) {
  const asked: string[] = [];
  const said: string[] = [];
  const terminal: Terminal = {
    cwd: "/",
    ask: async (question) => {
      asked.push(question);
      return answer;
    },
    out: (text) => void said.push(text),
    err: (text) => void said.push(text),
    color: false,
    env: { HOME: "/nowhere", GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: server.token },
    onWriting: () => undefined,
    signal: new AbortController().signal,
  };
  const code = await run(line.split(" "), "1.2.3", terminal);
  return { code, asked, said: said.join("") };
}

describe("a deletion in a terminal", () => {
  it.each([
    ["y", 0],
    ["YES ", 0],
    ["n", 1],
    ["", 1],
    ["yesterday", 1],
    [undefined, 1],
  ])("asks for confirmation; the answer %j gives exit code %i", async (answer, code) => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    const ended = await answering(all, answer, "subgraph delete pools/1.0.0");
    expect(ended.code).toBe(code);
    expect(ended.asked).toEqual(["Delete pools/1.0.0 with all its data? [y/N] "]);
    expect(await all.server.versions()).toHaveLength(code);
    expect(ended.said).toBe(code === 0 ? "Deleted pools/1.0.0.\n" : "Nothing was changed.\n");
  });

  it.each([
    "subgraph tag delete pools/1.0.0 -t prod",
    "subgraph webhook delete swaps",
  ])("also asks for confirmation: %s", async (line) => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    await all.run("subgraph tag create pools/1.0.0 -t prod");
    const { code, asked } = await answering(all, "n", line);
    expect([code, asked.length]).toEqual([1, 1]);
  });
});
