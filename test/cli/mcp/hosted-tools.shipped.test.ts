import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useFolder } from "../../support/folder.js";
import { type Served, startServed } from "../serve/served.js";
import { httpAgent } from "./http-agent.js";

const demo = fileURLToPath(new URL("../../../examples/demo/", import.meta.url));
const configuration = readFileSync(join(demo, "subgraph.json"), "utf8");
const misspelt = configuration.replace('"startBlock"', '"startblock"');
const abis = readdirSync(join(demo, "abis")).map((name) => ({
  path: `abis/${name}`,
  text: readFileSync(join(demo, "abis", name), "utf8"),
}));
const filesWith = (text: string) => [{ path: "subgraph.json", text }, ...abis];
const files = filesWith(configuration);

const home = useFolder();
let served: Served;
beforeAll(async () => {
  served = await startServed(["--data", "data", "--rpc", "sepolia=http://127.0.0.1:1"], home);
}, 300_000);
afterAll(async () => {
  served.child.kill("SIGKILL");
  await served.ended;
});

const agent = (how: Parameters<typeof httpAgent>[2] = {}, token = served.token) =>
  httpAgent(served.address, token, how);

async function deployed(): Promise<string> {
  const answer = await served.ask("/api/v1/subgraphs", {
    headers: { authorization: `Bearer ${served.token}` },
  });
  return answer.text();
}

/** The JSON document between the marks of an answer. */
function documentIn(text: string): { readonly diagnostics: readonly Record<string, unknown>[] } {
  const [, inside = ""] = /<data-\w+>\n([\s\S]*?\n\})\n/.exec(text) ?? [];
  return JSON.parse(inside);
}

async function keyOf(role: string): Promise<string> {
  const key = await served.ask(`/api/v1/projects/${served.project}/api-keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${served.token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: role, role }),
  });
  const [, token = ""] = /"(?:key|token)":"([^"]+)"/.exec(await key.text()) ?? [];
  expect([key.status, token === ""]).toEqual([201, false]);
  return token;
}

describe("the tools of a server for files that clients send", () => {
  it("check, explain, fix and complete a configuration", async () => {
    const { call } = await agent();
    const [first] = documentIn((await call("check", { files: filesWith(misspelt) })).text).diagnostics;
    expect(first).toMatchObject({
      code: "unknown-key",
      file: "subgraph.json",
      start: { line: expect.any(Number), column: expect.any(Number) },
      fixable: true,
    });
    expect((await call("explain", { code: "unknown-key" })).text).toContain("Right:\n");
    expect(await call("explain", { code: "nonsense" })).toMatchObject({ isError: true });
    const fixed = await call("fix", { files: filesWith(misspelt) });
    expect(fixed.text).toContain("fixed unknown-key");
    expect(fixed.text).toContain(configuration.trimEnd());
    const before = misspelt.slice(0, misspelt.indexOf('"startblock"'));
    const place = { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") + 1 };
    expect((await call("complete", { files: filesWith(misspelt), ...place })).text).toMatch(
      /^startBlock {2}/m,
    );
    const right = await call("check", { files });
    expect(right.isError).toBe(false);
    expect(documentIn(right.text).diagnostics).toEqual([]);
    expect(right.text).toMatch(/^This is data from the files of subgraph\.json\. /);
  });

  it("read no file of the server, whatever the files name", async () => {
    const { call } = await agent();
    for (const outside of ["/etc/passwd", "../../../../../etc/passwd", "../secret-key"]) {
      const text = configuration.replace(/"(?:\.\/)?abis\/[^"]+"/, JSON.stringify(outside));
      expect(text).not.toBe(configuration);
      const answer = await call("check", { files: filesWith(text) });
      expect([outside, answer.text.includes("outside the folder")]).toEqual([outside, true]);
      expect(answer.text).not.toContain("root:");
    }
  });

  it.each<readonly [string, object, string]>([
    ["no files", { files: [] }, "fewer than 1"],
    ["a path that leaves", { files: [{ path: "../a.json", text: "" }] }, "pattern"],
    ["an absolute path", { files: [{ path: "/etc/a.json", text: "" }] }, "pattern"],
    ["a hidden file", { files: [{ path: ".deployed/a.zip", text: "" }] }, "pattern"],
    ["a text that is none", { files: [{ path: "a.json", text: 7 }] }, "must be string"],
    ["another property", { files, rpc: "http://127.0.0.1" }, "additional properties"],
    [
      "too many files",
      { files: Array.from({ length: 51 }, (_, n) => ({ path: `a${n}`, text: "" })) },
      "more than 50",
    ],
    ["one path twice", { files: [...files, ...files] }, "Two files have the same path."],
    [
      "a file that is a folder",
      {
        files: [
          { path: "a", text: "" },
          { path: "a/b", text: "" },
        ],
      },
      "a cannot be both a file and a folder.",
    ],
    ["no configuration", { files: abis }, "There is no file subgraph.json among the files."],
    ["an address", { files, subgraph: "http://127.0.0.1/" }, "pattern"],
    ["the id of a deployment", { files, subgraph: `Qm${"a".repeat(44)}` }, "among the files."],
  ])("refuse %s", async (_, given, want) => {
    const { call } = await agent();
    for (const name of ["check", "fix", "deploy"]) {
      const more = name === "deploy" ? { name_and_version: "pools/1.0.0" } : {};
      const answer = await call(name, { ...given, ...more });
      expect([name, answer.isError, answer.text]).toEqual([name, true, expect.stringContaining(want)]);
    }
  });

  it("never get a zero byte or a prototype, because the server refuses the request", async () => {
    const { call } = await agent();
    const hostile = ["a\\u0000.json", 'a.json","__proto__":{"x":1},"text":"'];
    for (const path of hostile) {
      const given = JSON.parse(`{"files":[{"path":"${path}","text":""}]}`);
      await expect(call("check", given)).rejects.toThrow("Bad request");
    }
  });

  it("deploy what the user agreed to, compare with it, and nothing else", async () => {
    const what = { name_and_version: "sent/1.0.0", files, tag: "prod" };
    const refusing = await agent({ agrees: false, isModern: true });
    expect(await refusing.call("deploy", { ...what, confirm: "yes" })).toEqual({
      isError: true,
      text: "The user has declined. Nothing was deployed.",
    });
    expect(refusing.asked).toEqual([
      expect.stringMatching(/^Deploy Qm\w{44} as sent\/1\.0\.0 to this server, with the tag prod\?$/),
    ]);
    const mute = await agent();
    const told = await mute.call("deploy", what);
    expect(told).toEqual({ isError: true, text: expect.stringContaining("Nothing was deployed yet.") });
    const [id = ""] = /Qm\w{44}/.exec(told.text) ?? [];
    const changed = filesWith(configuration.replaceAll('"startBlock": 8', '"startBlock": 9'));
    const other = await mute.call("deploy", { ...what, files: changed, confirm: id });
    expect(other).toEqual({ isError: true, text: expect.stringContaining("whose files may have changed") });
    expect(await deployed()).not.toContain('"sent"');
    expect(await mute.call("deploy", { ...what, confirm: id })).toEqual({
      isError: false,
      text: expect.stringContaining(id),
    });
    expect(await deployed()).toContain('"sent"');
    const diff = await mute.call("diff", { files: changed, deployed: "sent/prod" });
    expect(diff.text).toContain('"breaking": false');
    expect(diff.text).toContain("start-block");
    const agreeing = await agent({ agrees: true, isModern: true });
    expect((await agreeing.call("deploy", { ...what, name_and_version: "sent/1.0.1" })).isError).toBe(false);
    expect(await deployed()).toContain("1.0.1");
    const wrong = await agreeing.call("deploy", { ...what, files: filesWith(misspelt) });
    expect(wrong).toEqual({ isError: true, text: expect.stringContaining("unknown-key") });
  });

  it("let a Viewer check, and not deploy", async () => {
    const { call, asked } = await agent({ agrees: true, isModern: true }, await keyOf("Viewer"));
    expect((await call("check", { files })).isError).toBe(false);
    const refused = await call("deploy", { name_and_version: "viewed/1.0.0", files });
    expect(refused).toEqual({ isError: true, text: expect.stringMatching(/Editor/) });
    expect(asked).toEqual([]);
    expect(await deployed()).not.toContain("viewed");
    const { call: edit } = await agent({ agrees: true, isModern: true }, await keyOf("Editor"));
    expect((await edit("deploy", { name_and_version: "edited/1.0.0", files })).isError).toBe(false);
  });

  it("refuse more work than a project may have waiting", async () => {
    const { call } = await agent();
    const all = await Promise.all(Array.from({ length: 8 }, () => call("check", { files })));
    const refused = all.filter(({ isError }) => isError);
    expect(refused.length).toBeGreaterThan(0);
    for (const { text } of refused) expect(text).toContain("4 checks and builds waiting already");
    expect(all.length - refused.length).toBeGreaterThanOrEqual(5);
  });
});
