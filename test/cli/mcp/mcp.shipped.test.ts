import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readManual } from "../../../src/machine/manual.js";
import { testFolder, useFolder } from "../../support/folder.js";
import { untilHolds } from "../../support/until.js";
import { type PlayedNode, type Served, startPlayedNode, startServed } from "../serve/served.js";
import { startAgent } from "./mcp-client.js";

const demo = fileURLToPath(new URL("../../../examples/demo/", import.meta.url));
const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** A folder with a copy of the demo, inside of another folder with a secret. */
function project(): string {
  const outer = testFolder();
  const folder = join(outer, "inner");
  cpSync(demo, folder, { recursive: true });
  writeFileSync(join(outer, "secret.json"), '{ "name": "top-secret-text" }');
  symlinkSync(join(outer, "secret.json"), join(folder, "link.json"));
  return folder;
}

/** Breaks the demo's configuration by a misspelt setting, which has a certain fix. */
function misspell(folder: string): string {
  const path = join(folder, "subgraph.json");
  const text = readFileSync(path, "utf8");
  const wrong = text.replace('"startBlock"', '"startblock"');
  expect(wrong).not.toBe(text);
  writeFileSync(path, wrong);
  return text;
}

/** A pipeline with a test of its query. */
function moves(column: string): string {
  return `name: moves
sources:
  transfers:
    type: dataset
    dataset_name: sepolia.erc20_transfers
transforms:
  doubled:
    primary_key: id
    sql: |
      SELECT id, ${column} * 2 AS doubled FROM transfers
sinks:
  shown:
    type: print
    from: doubled
tests:
  - name: an amount is doubled
    given:
      transfers:
        - { id: "1", amount: 2 }
    expect:
      doubled:
        - { id: "1", doubled: 4 }
`;
}

/** The JSON document between the marks of an answer. */
function documentIn(text: string): { readonly diagnostics: readonly Record<string, unknown>[] } {
  const [, inside = ""] = /<data-\w+>\n([\s\S]*?\n\})\n/.exec(text) ?? [];
  return JSON.parse(inside);
}

describe("graphloom mcp without a server", () => {
  it.each([
    false,
    true,
  ])("checks, explains and fixes a configuration (newest protocol: %s)", async (isModern) => {
    const folder = project();
    const right = misspell(folder);
    const { call, client } = await startAgent(folder, { isModern });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [
        "check",
        "complete",
        "deploy",
        "diff",
        "docs",
        "explain",
        "fix",
        "plan",
        "query",
        "schema",
        "test",
        "verify",
        "why",
      ].sort(),
    );
    const [first] = documentIn((await call("check")).text).diagnostics;
    expect(first).toMatchObject({
      code: "unknown-key",
      severity: "error",
      file: "subgraph.json",
      start: { line: expect.any(Number), column: expect.any(Number) },
      hint: expect.stringContaining("startBlock"),
      fixable: true,
    });
    expect((await call("explain", { code: String(first?.code) })).text).toContain("Right:\n");
    const wrong = readFileSync(join(folder, "subgraph.json"), "utf8");
    const column = wrong.indexOf('"startblock"') - wrong.lastIndexOf("\n", wrong.indexOf('"startblock"')) + 1;
    const line = wrong.slice(0, wrong.indexOf('"startblock"')).split("\n").length;
    const place = { file: "subgraph.json", line, column };
    expect((await call("complete", place)).text).toMatch(/^startBlock {2}/m);
    expect((await call("complete", { ...place, file: "../secret.json" })).isError).toBe(true);
    expect((await call("fix", { dry_run: true })).text).toContain("would fix unknown-key");
    expect(readFileSync(join(folder, "subgraph.json"), "utf8")).toBe(wrong);
    expect((await call("fix")).text).toContain("fixed unknown-key");
    expect(readFileSync(join(folder, "subgraph.json"), "utf8")).toBe(right);
    expect(documentIn((await call("check")).text).diagnostics).toEqual([]);
  });

  it("prints schemas, compares subgraphs, and has the manual", async () => {
    const folder = project();
    const { call, client } = await startAgent(folder);
    expect((await call("schema")).text).toContain("type Trade @entity(immutable: true)");
    expect((await call("schema", { api: true })).text).toContain("input Trade_filter");
    writeFileSync(
      join(folder, "new.json"),
      readFileSync(join(folder, "subgraph.json"), "utf8").replaceAll('"startBlock": 8', '"startBlock": 9'),
    );
    const { text } = await call("diff", { old: "subgraph.json", new: "new.json" });
    expect(text).toContain('"breaking": false');
    expect(text).toContain("start-block");
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).toEqual(readManual().map(({ name }) => name));
    const [serve] = (await client.readResource({ uri: "graphloom://docs/serve" })).contents;
    expect(serve && "text" in serve && serve.text).toBe(readFileSync("docs/serve.md", "utf8"));
    expect((await call("docs", { search: "start block" })).text).toContain("page getting-started, section ");
    expect(await call("docs", { page: "servee" })).toEqual({
      isError: true,
      text: 'The manual has no page "servee"; did you mean serve?',
    });
  });

  it("reads no file outside of its folder, whatever names it", async () => {
    const folder = project();
    writeFileSync(
      join(folder, "leaving.json"),
      readFileSync(join(folder, "subgraph.json"), "utf8").replace(
        /"(?:\.\/)?abis\/[^"]+"/,
        '"../secret.json"',
      ),
    );
    const { call } = await startAgent(folder);
    const outside = "outside the folder of this command";
    for (const subgraph of [
      "../secret.json",
      join(folder, "../secret.json"),
      "link.json",
      "/etc/passwd",
      "leaving.json",
    ])
      for (const [name, given] of [
        ["check", { subgraph }],
        ["fix", { subgraph }],
        ["schema", { subgraph }],
        ["plan", { subgraph }],
        ["diff", { old: "subgraph.json", new: subgraph }],
      ] as const) {
        const { text } = await call(name, given);
        expect([name, subgraph, text.includes(outside)]).toEqual([name, subgraph, true]);
        expect(text).not.toContain("top-secret-text");
      }
    expect((await call("verify", { pipeline: "../secret.json" })).text).toContain(outside);
    expect(readFileSync(join(folder, "../secret.json"), "utf8")).toBe('{ "name": "top-secret-text" }');
  });

  it("gives no environment variable to a definition", async () => {
    const folder = project();
    const definition = {
      name: "leaking",
      sources: { logs: { type: "dataset", dataset_name: `$\{WORD}.raw_logs` } },
      sinks: { shown: { type: "print", from: "logs" } },
    };
    writeFileSync(join(folder, "leaking.yaml"), JSON.stringify(definition));
    const { call } = await startAgent(folder, { env: { WORD: "top-secret-text" } });
    const { text } = await call("verify", { pipeline: "./leaking.yaml" });
    expect(text).toContain("pass --var WORD=<value>");
    expect(text).not.toContain("top-secret-text");
  });

  it("checks the definition of a pipeline, and runs its tests", async () => {
    const folder = project();
    writeFileSync(join(folder, "moves.yaml"), moves("amount"));
    writeFileSync(join(folder, "wrong.yaml"), moves("amuont"));
    const { call } = await startAgent(folder);
    const right = await call("check", { subgraph: "moves.yaml" });
    expect(right.isError, right.text).toBe(false);
    expect(documentIn(right.text).diagnostics).toEqual([]);
    const wrong = await call("check", { subgraph: "wrong.yaml" });
    expect(documentIn(wrong.text).diagnostics).toEqual([
      expect.objectContaining({
        file: "wrong.yaml",
        severity: "error",
        start: expect.objectContaining({ line: 10, column: 18 }),
      }),
    ]);
    expect((await call("test", { project: "moves.yaml" })).text).toContain("1 test passed");
    writeFileSync(join(folder, "moves.yaml"), moves("amount").replace("doubled: 4", "doubled: 5"));
    const failed = await call("test", { project: "moves.yaml" });
    expect(failed.text).toContain("✗ an amount is doubled");
    expect(failed.text).toContain("1 of 1 test failed");
  });

  it("runs the tests of a subgraph, and reads nothing outside of its folder for them", async () => {
    const folder = project();
    const { call } = await startAgent(folder);
    const { text } = await call("test", { project: "subgraph.json" });
    expect(text).toContain("No tests have been written yet");
    for (const project of ["../", "../secret.json", "link.json"]) {
      const outside = await call("test", { project });
      expect([project, outside.isError]).toEqual([project, true]);
      expect(outside.text).not.toContain("top-secret-text");
    }
  });

  it("lets a definition reach private addresses and secrets only with --trust-definitions", async () => {
    const folder = project();
    const definition = (secret: string) => ({
      name: "reaching",
      sources: { logs: { type: "dataset", dataset_name: "sepolia.raw_logs", start_at: 1 } },
      sinks: {
        rows: { type: "postgres", from: "logs", table: "logs", primary_key: "id", secret_name: secret },
      },
    });
    writeFileSync(join(folder, "reaching.json"), JSON.stringify(definition("WAREHOUSE")));
    const env = {
      GRAPHLOOM_SECRET_WAREHOUSE: "postgres://user:top-secret-text@127.0.0.1:1/rows",
      GRAPHLOOM_RPC_SEPOLIA: "http://127.0.0.1:1",
    };
    const careful = await startAgent(folder, { env });
    // Checking a definition needs no value of a secret.
    const checked = await careful.call("check", { subgraph: "reaching.json" });
    expect(checked.isError, checked.text).toBe(false);
    expect(documentIn(checked.text).diagnostics).toEqual([]);
    const refused = await careful.call("verify", { pipeline: "./reaching.json" });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("start graphloom mcp with --trust-definitions");
    expect(refused.text).not.toContain("top-secret-text");
    const trusting = await startAgent(folder, { env, args: ["--trust-definitions"] });
    const tried = await trusting.call("verify", { pipeline: "./reaching.json" });
    expect(tried.text).not.toContain("--trust-definitions");
    expect(tried.text).not.toContain("top-secret-text");
  });

  it("refuses addresses, standard input, unknown arguments and oversized ones", async () => {
    const { call, client } = await startAgent(project());
    const cases: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
      ["check", { subgraph: "-" }, "Standard input is not available here."],
      ["verify", { pipeline: "-" }, "Standard input is not available here."],
      ["check", { subgraph: "http://169.254.169.254/latest" }, "Tools take no addresses."],
      ["diff", { old: "subgraph.json", new: "file:///etc/passwd" }, "Tools take no addresses."],
      ["check", { rpc: "http://127.0.0.1" }, "additional properties"],
      ["check", { subgraph: "x".repeat(501) }, "500 characters"],
      ["check", { subgraph: 7 }, "must be string"],
      ["query", { subgraph: "pools/1.0.0", query: "{ a }", block: -1 }, ">= 0"],
      ["query", { subgraph: "../..", query: "{ a }" }, "is not a subgraph name"],
      ["query", { subgraph: "pools/1.0.0", query: "{ a }" }, "No API to talk to."],
      ["explain", { code: "nonsense" }, 'There is no code "nonsense"'],
      ["plan", {}, "GRAPHLOOM_RPC_SEPOLIA"],
      ["verify", { pipeline: "./none.yaml" }, "there is no configuration file"],
    ];
    for (const [name, given, want] of cases)
      expect([name, given, await call(name, given)]).toEqual([
        name,
        given,
        { isError: name !== "verify" || given.pipeline === "-", text: expect.stringContaining(want) },
      ]);
    const deep = JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`);
    const deeply = await call("query", { subgraph: "pools/1.0.0", query: "{ a }", variables: deep });
    expect(deeply).toEqual({ isError: true, text: "The arguments have more than 32 levels." });
    await expect(client.callTool({ name: "rm", arguments: {} })).rejects.toThrow("not found");
    // It still answers.
    expect((await call("explain")).isError).toBe(false);
  });

  it("has no tool that changes anything with --read-only", async () => {
    const { client } = await startAgent(project(), { args: ["--read-only"] });
    const { tools } = await client.listTools();
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    expect(tools.map(({ name }) => name)).not.toContain("deploy");
    await expect(client.callTool({ name: "fix", arguments: {} })).rejects.toThrow("not found");
  });

  it.each([
    ["nothing", ""],
    ["no protocol", "hello\n{}\n[]\nnull\n"],
    ["a deep message", `${"[".repeat(200_000)}\n`],
    ["a message without an end", "x".repeat(5_000_000)],
  ])("ends when its input ends, after %s", async (_, input) => {
    const child = spawn(process.execPath, [main, "mcp"], { cwd: testFolder(), stdio: "pipe" });
    let out = "";
    child.stdout.on("data", (text) => {
      out += text;
    });
    // It may leave before it has read everything.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    for (const line of out.split("\n").filter(Boolean)) expect(JSON.parse(line)).toHaveProperty("jsonrpc");
  });
});

describe("graphloom mcp with a server", () => {
  const home = useFolder();
  let node: PlayedNode;
  let served: Served;
  beforeAll(async () => {
    node = await startPlayedNode("key");
    served = await startServed(["--data", "data", "--rpc", `sepolia=${node.url}`], home);
  }, 300_000);
  afterAll(async () => {
    served.child.kill("SIGKILL");
    await served.ended;
    await node.stop();
  });
  const env = () => ({
    GRAPHLOOM_API_URL: `${served.address}/api/v1`,
    GRAPHLOOM_TOKEN: served.token,
    GRAPHLOOM_RPC_SEPOLIA: node.url,
  });
  const deployed = async (): Promise<readonly string[]> => {
    const answer = await served.ask("/api/v1/subgraphs", {
      headers: { authorization: `Bearer ${served.token}` },
    });
    const { data } = (await answer.json()) as { readonly data: readonly { name: string; version: string }[] };
    return data.map(({ name, version }) => `${name}/${version}`);
  };

  it("deploys what the user agreed to, and nothing else", async () => {
    const folder = project();
    const what = { name_and_version: "asked/1.0.0", subgraph: "subgraph.json" };
    for (const isModern of [false, true]) {
      const refusing = await startAgent(folder, { env: env(), agrees: false, isModern });
      // A client with forms asks its user, whatever the model says.
      for (const confirm of [undefined, "Qm", "yes"])
        expect(await refusing.call("deploy", { ...what, ...(confirm && { confirm }) })).toEqual({
          isError: true,
          text: "The user has declined. Nothing was deployed.",
        });
      expect(refusing.asked[0]).toMatch(/^Deploy Qm\w{44} as asked\/1\.0\.0 to the API at http:\/\/\S+\?$/);
      expect(refusing.asked).toHaveLength(3);
    }
    const mute = await startAgent(folder, { env: env() });
    const told = await mute.call("deploy", what);
    expect(told).toEqual({ isError: true, text: expect.stringContaining("Nothing was deployed yet.") });
    const [id = ""] = /Qm\w{44}/.exec(told.text) ?? [];
    const other = await mute.call("deploy", { ...what, confirm: `${id.slice(0, -1)}x` });
    expect(other).toEqual({
      isError: true,
      text: expect.stringContaining("not the deployment id of this build"),
    });
    expect(await deployed()).not.toContain("asked/1.0.0");
    const done = await mute.call("deploy", { ...what, confirm: id });
    expect(done).toEqual({ isError: false, text: expect.stringContaining(id) });
    expect(await deployed()).toContain("asked/1.0.0");
    const agreeing = await startAgent(folder, { env: env(), agrees: true, isModern: true });
    const again = await agreeing.call("deploy", { ...what, name_and_version: "asked/1.0.1" });
    expect(again.isError).toBe(false);
    expect(await deployed()).toContain("asked/1.0.1");
  });

  it("queries it at a block, compares it with a file, and plans with the user's node", async () => {
    const folder = project();
    const { call } = await startAgent(folder, { env: env(), agrees: true });
    const what = { name_and_version: "demo/1.0.0", subgraph: "subgraph.json" };
    expect((await call("deploy", what)).isError).toBe(false);
    await served.indexed(node.head());
    const subgraph = "demo/1.0.0";
    const ids = "{ trades(first: 1000) { id } _meta { block { number } } }";
    const now = await call("query", { subgraph, query: ids });
    const block = node.head() - 100;
    const then = await call("query", { subgraph, query: ids, block });
    expect(then.text).toContain(`"_meta":{"block":{"number":${block}}}`);
    const count = (text: string): number => text.split('"id"').length;
    expect(count(then.text)).toBeLessThan(count(now.text));
    const named = { query: "query ($n: Int) { trades(first: $n) { id } }", variables: { n: 2 } };
    expect(count((await call("query", { subgraph, ...named })).text)).toBe(3);
    expect(await call("query", { subgraph, query: "{ nothing { id } }" })).toEqual({
      isError: true,
      text: expect.stringContaining("nothing"),
    });
    const { text } = await call("diff", { old: subgraph, new: "subgraph.json" });
    expect(text).toContain('"breaking": false');
    expect((await call("plan", { samples: 1 })).text).toContain("sepolia");
  });

  it("has tools over HTTP as well, which read the same data", async () => {
    const { call: deploy } = await startAgent(project(), { env: env(), agrees: true });
    const what = { name_and_version: "distant/1.0.0", subgraph: "subgraph.json" };
    expect((await deploy("deploy", what)).isError).toBe(false);
    const headers = { authorization: `Bearer ${served.token}` };
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL("/mcp", served.address), { requestInit: { headers } }),
    );
    onTestFinished(() => client.close());
    const call = async (name: string, given: Readonly<Record<string, unknown>>): Promise<string> => {
      const { content } = await client.callTool({ name, arguments: given });
      const [first] = content;
      return first?.type === "text" ? first.text : "";
    };
    const subgraph = { name: "distant", version: "1.0.0" };
    const entities = await call("schema", subgraph);
    expect(entities).toContain("type Trade {");
    expect(entities).toContain("trades(skip, first, orderBy, orderDirection, where");
    expect(entities).not.toContain("Trade_filter {");
    const types = await call("schema", { ...subgraph, types: ["Trade_filter", "Absent"] });
    expect(types).toContain("input Trade_filter {");
    expect(types).toContain("# There is no type Absent.");
    expect(types).not.toContain("type Trade {");
    const query = "{ _meta { block { number } } }";
    const block = await untilHolds(async () => {
      const text = await call("query", { ...subgraph, query });
      const [, found = ""] = /"number":(\d+)/.exec(text) ?? [];
      expect(found, text).not.toBe("");
      return Number(found) - 1;
    });
    expect(await call("query", { ...subgraph, query, block })).toContain(`"number":${block}`);
    expect(await call("subgraphs", {})).toContain('"distant"');
    // An entity that handlers change leads to their lines in the configuration.
    const [, id = ""] = await untilHolds(async () => {
      const text = await call("query", { ...subgraph, query: "{ prices(first: 1) { id } }" });
      const found = /"id":"([^"]+)"/.exec(text);
      if (!found) throw new Error(text);
      return found;
    });
    const why = await call("why", { ...subgraph, entity: "Price", id });
    expect(why).toMatch(
      /"handlers":\[\{"source":"\w+","trigger":"[^"]+","handler":"\w+","place":"subgraph\.json:\d+/,
    );
    const older = await call("why", { ...subgraph, entity: "Price", id, before: "0" });
    expect(older).toContain('"versions":[],"before":null');
  });

  it("does nothing that the role of its key does not allow", async () => {
    const key = await served.ask(`/api/v1/projects/${served.project}/api-keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${served.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "viewer", role: "Viewer" }),
    });
    const text = await key.text();
    const [, token = ""] = /"(?:key|token)":"([^"]+)"/.exec(text) ?? [];
    expect([key.status, token === ""]).toEqual([201, false]);
    const viewer = await startAgent(project(), { env: { ...env(), GRAPHLOOM_TOKEN: token }, agrees: true });
    const refused = await viewer.call("deploy", {
      name_and_version: "viewed/1.0.0",
      subgraph: "subgraph.json",
    });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining("(403)")]);
    expect(await deployed()).not.toContain("viewed/1.0.0");
  });
});
