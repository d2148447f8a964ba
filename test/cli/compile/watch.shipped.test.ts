import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { config, graphloom, storing, workplace } from "../harness.js";
import { command } from "../process.js";

const token = { abi: "Token", address: `0x${"0".repeat(38)}a1`, startBlock: 1, chain: "mainnet" };
const withFile = config({ abis: { Token: { path: "abis/Token.json" } }, instances: [token] });
const abi = JSON.stringify(JSON.parse(config()).abis.Token);

/**
 * Runs a command with `--watch`, takes a step whenever it waits for a change, and interrupts it after the last.
 * @returns what the command printed before each step, and at the end
 */
async function watch(cwd: string, args: readonly string[], steps: readonly (() => void)[]) {
  let seen = 0;
  const said: string[] = [];
  const left = [...steps];
  const ended = await command([...args, "--watch"], {
    cwd,
    onPrint({ err }, interrupt) {
      const rounds = err.split("; watching ").length - 1;
      if (rounds <= said.length || !err.endsWith("\n")) return;
      said.push(err.slice(seen));
      seen = err.length;
      const step = left.shift();
      if (step) step();
      else interrupt();
    },
  });
  return { ...ended, said };
}

describe("check --watch", () => {
  it("reports errors after every change, and survives invalid and deleted files", async () => {
    const cwd = workplace({ "c.json": storing("event.params.value.toString()") });
    const file = join(cwd, "c.json");
    const { code, said } = await watch(
      cwd,
      ["check", "c.json"],
      [
        () => writeFileSync(file, storing("event.params.valu.toString()")),
        () => writeFileSync(file, "{"),
        () => rmSync(file),
        () => {
          writeFileSync(`${file}~`, storing("event.params.value.toHexString()"));
          renameSync(`${file}~`, file);
        },
      ],
    );
    expect(code).toBe(130);
    expect(said.map((text) => /error\[[\w-]+\]|no errors/.exec(text)?.[0])).toEqual([
      "no errors",
      "error[unknown-parameter]",
      expect.stringMatching(/^error\[/),
      expect.stringMatching(/^error\[/),
      "no errors",
    ]);
    expect(said[1]).toMatch(/^\[\d\d:\d\d:\d\d\] changed: c\.json\n/);
    expect(said[1]).toContain("] 1 error; watching 1 file\n");
  });

  it("watches ABIs too, even missing ones", async () => {
    const cwd = workplace({ "c.json": withFile });
    const { said } = await watch(
      cwd,
      ["check", "c.json"],
      [
        () => {
          mkdirSync(join(cwd, "abis"));
          writeFileSync(join(cwd, "abis/Token.json"), abi);
        },
        () => writeFileSync(join(cwd, "abis/Token.json"), "[]"),
      ],
    );
    expect(said[0]).toMatch(/error\[[\w-]+\]/);
    expect(said[1]).toContain("changed: abis/Token.json\n");
    expect(said[1]).toContain("no errors; watching 2 files");
    expect(said[2]).toMatch(/error\[[\w-]+\]/);
  });
});

describe("compile --watch", () => {
  it("writes the output of valid changes and skips invalid ones", async () => {
    const cwd = workplace({ "c.json": storing('"one"') });
    const texts: string[] = [];
    const note = (): void => void texts.push(readFileSync(join(cwd, "out/src/token.ts"), "utf8"));
    const { code } = await watch(
      cwd,
      ["compile", "c.json", "--out", "out", "--build"],
      [
        () => {
          note();
          writeFileSync(join(cwd, "c.json"), storing('"two'));
        },
        () => {
          note();
          writeFileSync(join(cwd, "c.json"), storing('"three"'));
        },
      ],
    );
    note();
    expect(code).toBe(130);
    expect(texts.map((text) => /"(one|two|three)"/.exec(text)?.[1])).toEqual(["one", "one", "three"]);
    expect(readFileSync(join(cwd, "out/build/Token/Token.wasm")).subarray(0, 4).toString("latin1")).toBe(
      "\0asm",
    );
  });

  it("does not overwrite files that it did not write", async () => {
    const cwd = workplace({ "c.json": config(), "out/schema.graphql": "mine" });
    const { said } = await watch(
      cwd,
      ["compile", "c.json", "--out", "out"],
      [() => writeFileSync(join(cwd, "c.json"), storing('"two"'))],
    );
    expect(said.join("").match(/would be overwritten/g)).toHaveLength(2);
    expect(readFileSync(join(cwd, "out/schema.graphql"), "utf8")).toBe("mine");
  });
});

describe("--watch", () => {
  it.each([
    ["check - --watch", "standard input does not change"],
    ["check c.json --fix --watch", "cannot be combined"],
    ["compile c.json --check --watch", "cannot be combined"],
  ])("rejects %s", async (line, message) => {
    const { code, err } = await graphloom(workplace({ "c.json": config() }), line);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
