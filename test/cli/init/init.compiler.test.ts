import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { everything } from "../../compiler/write/harness.js";
import { plant } from "../../support/folder.js";
import { config, graphloom, sources, storing, workplace } from "../harness.js";

const init = "subgraph init --from-config c.json";
const paths = (folder: string): string[] => Object.keys(everything(folder)).sort();

describe("subgraph init with a valid configuration", () => {
  it("writes the project and prints a summary", async () => {
    const cwd = workplace({ "c.json": config() });
    const { code, out, err, writing } = await graphloom(cwd, init);
    expect([code, err, writing]).toEqual([0, "", [true, false]]);
    expect(out).toBe(
      [
        "Wrote pools: 11 files written.",
        "  mainnet   1 data source",
        "  entities  1: Transfer",
        "  handlers  1 in 1 file under src/",
        "",
      ].join("\n"),
    );
    expect(paths(join(cwd, "pools"))).toEqual(sources);
  });

  it("also builds the project with --build", async () => {
    const cwd = workplace({ "c.json": storing('"x"') });
    const { code, out, err } = await graphloom(cwd, `${init} --build --target-path a/b`);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^Wrote a\/b: 15 files written\.\n/);
    expect(out).toMatch(/\n {2}entities {2}2: Transfer, Note\n/);
    expect(out).toMatch(/\n {2}WASM {6}\d+ KB\n$/);
    const wasm = readFileSync(join(cwd, "a/b/build/Token/Token.wasm"));
    expect(wasm.subarray(0, 4).toString("latin1")).toBe("\0asm");
    expect(paths(join(cwd, "a/b"))).toEqual(expect.arrayContaining([...sources, "build/subgraph.yaml"]));
  });

  it("changes nothing when it runs again", async () => {
    const cwd = workplace({ "c.json": config() });
    await graphloom(cwd, init);
    const { code, out } = await graphloom(cwd, init);
    expect(code).toBe(0);
    expect(out).toContain("Wrote pools: 0 files written, 11 unchanged.\n");
  });

  it.each([
    [`subgraph init other/2.0.0 --from-config c.json`, "other", "other"],
    [`subgraph init other --from-config c.json`, "other", "other"],
    [`subgraph init other/2 --from-config c.json --target-path t`, "t", "other"],
    [init, "pools", "pools"],
    ["subgraph init --from-config=c.json --target-path=./t/", "t", "pools"],
  ])("%s writes to %s/ and names the package %s", async (line, folder, name) => {
    const cwd = workplace({ "c.json": config() });
    expect(await graphloom(cwd, line)).toMatchObject({ code: 0 });
    expect(readdirSync(cwd).sort()).toEqual(["c.json", folder]);
    const { name: written } = JSON.parse(readFileSync(join(cwd, folder, "package.json"), "utf8"));
    expect(written).toBe(name);
  });

  it("reads a configuration from standard input", async () => {
    const cwd = workplace();
    const stdin = `${config()} // é😀`;
    const { code, out } = await graphloom(cwd, "subgraph init x --from-config -", { stdin });
    expect([code, readdirSync(cwd)]).toEqual([0, ["x"]]);
    expect(out).toContain("Wrote x: 11 files written.\n");
  });

  it("warns when it corrects the name of a chain", async () => {
    const cwd = workplace({
      "c.json": config({ instances: [{ ...JSON.parse(config()).instances[0], chain: "ethereum" }] }),
    });
    const { code, err } = await graphloom(cwd, init);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^warning\[unknown-chain\]: .*\n {2}--> c\.json:\d+:\d+ {2}\/instances\/0\/chain\n[\s\S]*\n {3}= note: .*\n {3}= hint: write "mainnet"\n\n1 warning\nit can be fixed: .* --fix\n$/,
    );
  });
});

describe("subgraph init with an invalid configuration", () => {
  it.each([
    ["an unknown reference", storing("event.params.nobody"), /error\[unknown-parameter\]/],
    [
      "a type error that only the compiler finds",
      storing("event.params.value"),
      /^error\[expression-type\][\s\S]*\n {3}= hint: append \.toString\(\)\n/,
    ],
    [
      "an expression that crashes the compiler",
      storing('event.transaction.to == event.address ? "" : ""'),
      /error\[expression-crashes-compiler\]/,
    ],
    ["invalid JSON", '{ "version": }', /^error\[syntax-error\].*\n --> c\.json:1:14 /],
    ["an empty file", "", /error\[empty-config\]/],
  ])("reports %s and writes nothing", async (_, text, message) => {
    const cwd = workplace({ "c.json": text });
    const { code, out, err, writing } = await graphloom(cwd, init);
    expect([code, out, writing]).toEqual([1, "", []]);
    expect(err).toMatch(message);
    expect(err).toMatch(/\n1 error\n(?:it can be fixed: .* --fix\n)?$/);
    expect(readdirSync(cwd)).toEqual(["c.json"]);
  });

  it("reports that the configuration file does not exist", async () => {
    const { code, err } = await graphloom(workplace(), init);
    expect([code, err]).toEqual([
      1,
      'error[config-missing]: there is no configuration file "c.json"\n' +
        "  = hint: paths are relative to the current folder\n\n1 error\n",
    ]);
  });

  it("keeps the files that an earlier run wrote", async () => {
    const cwd = workplace({ "c.json": config() });
    await graphloom(cwd, init);
    const before = everything(join(cwd, "pools"));
    writeFileSync(join(cwd, "c.json"), storing("event.params.value"));
    expect(await graphloom(cwd, `${init} --force`)).toMatchObject({ code: 1 });
    expect(everything(join(cwd, "pools"))).toEqual(before);
  });
});

describe("existing files", () => {
  it("stop subgraph init without --force, and nothing is written", async () => {
    const cwd = workplace({ "c.json": config() });
    plant(join(cwd, "pools"), { "src/token.ts": "// mine\n", "notes.md": "mine" });
    const { code, out, err } = await graphloom(cwd, init);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("pools contains 1 file that would be overwritten:\n  src/token.ts\n");
    expect(err).toContain("--force");
    expect(paths(join(cwd, "pools"))).toEqual(["notes.md", "src/token.ts"]);
  });

  it("are overwritten with --force; stale ones are removed, the user's own are kept", async () => {
    const other = JSON.parse(config());
    other.abis.Pool = other.abis.Token;
    other.instances[0].abi = "Pool";
    delete other.abis.Token;
    const cwd = workplace({ "c.json": config(), "other.json": JSON.stringify(other) });
    await graphloom(cwd, `${init} --build`);
    plant(join(cwd, "pools"), {
      "src/mine.ts": "// mine\n",
      "schema.graphql": "# changed\n",
      "abis/Mine.json": "[]",
    });
    expect(await graphloom(cwd, "subgraph init --from-config other.json")).toMatchObject({ code: 1 });
    const { code, out } = await graphloom(cwd, "subgraph init --from-config other.json --force --build");
    expect(code).toBe(0);
    expect(out).toMatch(/^Wrote pools: \d+ files written, \d+ unchanged, \d+ removed\.\n/);
    const now = everything(join(cwd, "pools"));
    expect(Object.keys(now).filter((path) => /token/i.test(path))).toEqual([]);
    expect(now).toMatchObject({ "src/mine.ts": "// mine\n", "abis/Mine.json": "[]" });
    expect(now["schema.graphql"]).toContain("type Transfer");
    expect(Object.keys(now)).toEqual(expect.arrayContaining(["src/pool.ts", "build/Pool/Pool.wasm"]));
  });

  it("are kept if they were edited by hand and are no longer generated", async () => {
    const other = JSON.parse(config());
    other.abis = { Pool: other.abis.Token };
    other.instances[0].abi = "Pool";
    const cwd = workplace({ "c.json": config(), "other.json": JSON.stringify(other) });
    await graphloom(cwd, init);
    writeFileSync(join(cwd, "pools/src/token.ts"), "// mine now\n");
    const { code, err } = await graphloom(cwd, "subgraph init --from-config other.json --force");
    expect(code).toBe(0);
    expect(err).toContain("kept src/token.ts");
    expect(everything(join(cwd, "pools"))["src/token.ts"]).toBe("// mine now\n");
  });

  it("stay unchanged when the user interrupts the command", async () => {
    const cwd = workplace({ "c.json": config() });
    const { code, err } = await graphloom(cwd, init, { signal: AbortSignal.abort() });
    expect([code, readdirSync(cwd)]).toEqual([1, ["c.json"]]);
    expect(err).toMatch(/^Nothing was written: .*pools: interrupted\.\n$/);
  });

  it("are reported when one has the name of the target folder", async () => {
    const cwd = workplace({ "c.json": config(), pools: "a file" });
    const { code, err } = await graphloom(cwd, init);
    expect([code, err]).toEqual([1, expect.stringContaining("Nothing was written: ")]);
    expect(readFileSync(join(cwd, "pools"), "utf8")).toBe("a file");
  });
});
