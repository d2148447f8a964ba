import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { everything } from "../../compiler/write/harness.js";
import { plant } from "../../support/folder.js";
import { config, graphloom, sources, storing, workplace } from "../harness.js";

const compile = "compile c.json --out out";

describe("compile", () => {
  it("writes to --out, or to a folder named after the subgraph", async () => {
    const cwd = workplace({ "c.json": config() });
    expect(await graphloom(cwd, compile)).toMatchObject({ code: 0, err: "" });
    expect(await graphloom(cwd, "compile c.json")).toMatchObject({ code: 0, err: "" });
    expect(readdirSync(cwd).sort()).toEqual(["c.json", "out", "pools"]);
    expect(Object.keys(everything(join(cwd, "out")))).toEqual(expect.arrayContaining(sources));
    expect(everything(join(cwd, "out"))).toEqual(everything(join(cwd, "pools")));
  });

  it("reads standard input, and resolves ABI paths from the working directory", async () => {
    const abis = { Token: { path: "t.json" } };
    const cwd = workplace({ "t.json": JSON.stringify(JSON.parse(config()).abis.Token) });
    expect(await graphloom(cwd, "compile - --out out", { stdin: config({ abis }) })).toMatchObject({
      code: 0,
      err: "",
    });
    const { code, err } = await graphloom(cwd, "compile -", { stdin: "[]" });
    expect([code, err]).toEqual([1, expect.stringMatching(/^error\[wrong-type\].*\n --> <stdin>:1:1\n/)]);
  });

  it("overwrites files only with --force", async () => {
    const cwd = workplace({ "c.json": config(), "out/schema.graphql": "mine" });
    expect(await graphloom(cwd, compile)).toMatchObject({ code: 1, out: "" });
    expect(await graphloom(cwd, `${compile} --force`)).toMatchObject({ code: 0 });
  });
});

describe("compile --check", () => {
  it("lists files that are missing, differ or are left over, and writes nothing", async () => {
    const cwd = workplace({ "c.json": config() });
    const first = await graphloom(cwd, `${compile} --check`);
    expect([first.code, first.out, first.writing]).toEqual([1, "", []]);
    expect(first.err).toContain("out is not what c.json generates:\n  missing: .gitignore\n");
    expect(first.err).toContain("To update it, run: graphloom compile c.json --out out --force\n");
    expect(readdirSync(cwd)).toEqual(["c.json"]);

    await graphloom(cwd, compile);
    expect(await graphloom(cwd, `${compile} --check`)).toMatchObject({
      code: 0,
      out: "out is up to date.\n",
      err: "",
    });

    writeFileSync(join(cwd, "out/src/token.ts"), "// changed\n");
    rmSync(join(cwd, "out/schema.graphql"));
    const before = everything(join(cwd, "out"));
    const { code, err } = await graphloom(cwd, `${compile} --check`);
    expect(code).toBe(1);
    expect(err).toMatch(/generates:\n {2}missing: schema\.graphql\n {2}differs: src\/token\.ts\nTo update/);
    expect(everything(join(cwd, "out"))).toEqual(before);

    await graphloom(cwd, `${compile} --force`);
    expect(await graphloom(cwd, `${compile} --check`)).toMatchObject({ code: 0 });
  });

  it("reports output that an interrupted run left incomplete", async () => {
    const cwd = workplace({ "c.json": config() });
    await graphloom(cwd, compile);
    const journal = { staging: "staging-01234567", folders: [], puts: [], removals: [], standing: [] };
    plant(cwd, { "out/.graphloom/journal.json": JSON.stringify(journal) });
    expect(await graphloom(cwd, `${compile} --check`)).toMatchObject({
      code: 1,
      out: "",
      err:
        "out is incomplete: a run that replaces its files was interrupted, or is still running.\n" +
        "To update it, run: graphloom compile c.json --out out --force\n",
    });
    expect(await graphloom(cwd, `${compile} --force`)).toMatchObject({ code: 0 });
    expect(await graphloom(cwd, `${compile} --check`)).toMatchObject({ code: 0 });
  });

  it("notices that the configuration changed", async () => {
    const cwd = workplace({ "c.json": config() });
    await graphloom(cwd, compile);
    writeFileSync(join(cwd, "c.json"), storing('"x"'));
    const { code, err } = await graphloom(cwd, `${compile} --check`);
    expect(code).toBe(1);
    expect(err).toContain("  differs: schema.graphql\n");
  });

  it("compares the WASM only with --build", async () => {
    const cwd = workplace({ "c.json": config() });
    await graphloom(cwd, compile);
    const { err } = await graphloom(cwd, `${compile} --check --build`);
    expect(err).toContain("  missing: build/Token/Token.wasm\n");
    expect(err).toContain("graphloom compile c.json --out out --build --force");
    await graphloom(cwd, `${compile} --build --force`);
    expect(await graphloom(cwd, `${compile} --check --build`)).toMatchObject({ code: 0 });
    // Without --build, the output of an earlier build does not matter.
    expect(await graphloom(cwd, `${compile} --check`)).toMatchObject({ code: 0 });
  });

  it("compares nothing when the configuration has errors", async () => {
    const cwd = workplace({ "c.json": storing("event.params.value") });
    const { code, err } = await graphloom(cwd, `${compile} --check`);
    expect(code).toBe(1);
    expect(err).toMatch(/error\[expression-type\]/);
    expect(err).not.toContain("missing:");
  });
});

describe("an unexpected failure", () => {
  it("ends with 70, prints the stack and asks to report it", async () => {
    const cwd = workplace();
    let err = "";
    const { run } = await import("../../../src/cli/program.js");
    const code = await run(["subgraph", "init", "--from-config", "-"], "1.2.3", {
      cwd,
      // A stream error without a code is a failure that the program does not expect.
      stdin: (async function* () {
        yield new Uint8Array();
        throw new TypeError("unforeseen");
      })(),
      out: () => undefined,
      err: (text) => {
        err += text;
      },
      color: false,
      onWriting: () => undefined,
      signal: new AbortController().signal,
    });
    expect(code).toBe(70);
    expect(err).toMatch(/^unexpected failure in graphloom 1\.2\.3: this is a bug in graphloom, /);
    expect(err).toContain("TypeError: unforeseen\n    at ");
  });
});
