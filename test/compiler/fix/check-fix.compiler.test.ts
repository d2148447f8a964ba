import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../../src/cli/program.js";
import { config, graphloom, storing, workplace } from "../../cli/harness.js";

/** Errors that hide each other: the ABI is looked up only after the version is correct. */
const faulty = [
  "\ufeff# pools",
  "version: 1 # the first",
  "name: 'pools/1.0.0'",
  "abis:",
  "  Token: # inline",
  "    - { type: event, name: Ping, anonymous: false, inputs: [] }",
  "instances:",
  "- abi: token   # not Token",
  "  address: '0x00000000000000000000000000000000000000a1'",
  "\t ".trim(),
  "  startBlock: 1",
  "  chain: &chain mainnet",
  "",
].join("\r\n");
const sound = faulty.replace("version: 1", 'version: "1"').replace("token ", "Token ");

const diff = `--- c.yaml
+++ c.yaml
@@ -1,11 +1,11 @@
 # pools
-version: 1 # the first
+version: "1" # the first
 name: 'pools/1.0.0'
 abis:
   Token: # inline
     - { type: event, name: Ping, anonymous: false, inputs: [] }
 instances:
-- abi: token   # not Token
+- abi: Token   # not Token
   address: '0x00000000000000000000000000000000000000a1'
${" "}
   startBlock: 1
`;
const summary = "  mainnet   1 data source\n  entities  1: Ping\n  handlers  1 in 1 file under src/\n";

const textIn = (cwd: string, name = "c.yaml"): string => readFileSync(join(cwd, name), "utf8");

describe("check --fix", () => {
  it("writes the path of the ABI file that exists", async () => {
    const { abis } = JSON.parse(config());
    const missing = config({ abis: { Token: { path: "./Token.json" } } });
    const cwd = workplace({ "c.json": missing, "out/Token.sol/Token.json": JSON.stringify(abis.Token) });
    const { code } = await graphloom(cwd, "check c.json --fix");
    expect([code, JSON.parse(textIn(cwd, "c.json")).abis.Token]).toEqual([
      0,
      { path: "./out/Token.sol/Token.json" },
    ]);
  });

  it("fixes in rounds, changes nothing else, shows the diff and writes once", async () => {
    const cwd = workplace({ "c.yaml": faulty });
    chmodSync(join(cwd, "c.yaml"), 0o640);
    const { code, out, err, writing } = await graphloom(cwd, "check c.yaml --fix");
    expect(textIn(cwd)).toBe(sound);
    const [first, second, ...rest] = out.split("\n");
    expect(first).toMatch(/^fixed [a-z-]+ at c\.yaml:2:10: write "1"/);
    expect(second).toMatch(/^fixed unknown-abi at c\.yaml:8:8: write "Token"/);
    expect(rest.join("\n")).toBe(`${diff}c.yaml is fine:\n${summary}`);
    expect([code, err, writing]).toEqual([0, "2 fixed\n", [true, false]]);
    expect(statSync(join(cwd, "c.yaml")).mode & 0o777).toBe(0o640);
    expect(readdirSync(cwd)).toEqual(["c.yaml"]);
  });

  it("shows the same diff with --dry-run, and writes nothing", async () => {
    const cwd = workplace({ "c.yaml": faulty });
    const { code, out, err, writing } = await graphloom(cwd, "check c.yaml --fix --dry-run");
    expect(textIn(cwd)).toBe(faulty);
    expect(out).toMatch(/^would fix /);
    expect(out).toContain(`${diff}c.yaml would be fine:\n${summary}`);
    expect([code, err, writing]).toEqual([0, "2 would be fixed\n", []]);
  });

  it("fixes an error of the compiler inside the string", async () => {
    const text = storing("event.params.to").replace('"event', '"\\u0065vent');
    const cwd = workplace({ "c.json": text });
    const { code, out, err } = await graphloom(cwd, "check c.json --fix");
    expect([code, err]).toEqual([0, "1 fixed\n"]);
    expect(out).toMatch(/^fixed expression-type at c\.json:37:33: append \.toHexString\(\)\n/);
    expect(textIn(cwd, "c.json")).toBe(text.replace("params.to", "params.to.toHexString()"));
  });

  it("prints the remaining findings", async () => {
    const cwd = workplace({ "c.json": config({ version: 1, chain: "mainnet" }) });
    const { code, out, err } = await graphloom(cwd, "check c.json --fix");
    expect(code).toBe(1);
    expect(textIn(cwd, "c.json")).toBe(config({ version: "1", chain: "mainnet" }));
    expect(out).toContain('\n-  "version": 1,\n+  "version": "1",\n');
    expect(err).toMatch(/^error\[unknown-key\]: [\s\S]*\n1 fixed, 1 error left\n$/);
  });

  it.each([
    ["a valid configuration", config(), 0, "nothing to fix\n"],
    ["a configuration that cannot be fixed", "[]", 1, "nothing to fix, 1 error left\n"],
    ["a file that is not text", "\xff\xfe{\0", 1, "1 error\n"],
  ])("does not change %s", async (_, text, code, last) => {
    const cwd = workplace();
    writeFileSync(join(cwd, "c.json"), text, "latin1");
    const ran = await graphloom(cwd, "check c.json --fix");
    expect([ran.code, ran.writing]).toEqual([code, []]);
    expect(ran.err.endsWith(last)).toBe(true);
    expect(ran.out).not.toContain("@@");
    expect(readFileSync(join(cwd, "c.json"), "latin1")).toBe(text);
  });

  it("reports a missing file", async () => {
    const { code, err } = await graphloom(workplace(), "check c.json --fix");
    expect([code, err]).toEqual([1, expect.stringContaining("error[config-missing]")]);
  });

  it("writes through a link", async () => {
    const cwd = workplace({ "real/c.yaml": faulty });
    symlinkSync(join("real", "c.yaml"), join(cwd, "c.yaml"));
    expect((await graphloom(cwd, "check c.yaml --fix")).code).toBe(0);
    expect([lstatSync(join(cwd, "c.yaml")).isSymbolicLink(), textIn(cwd, "real/c.yaml")]).toEqual([
      true,
      sound,
    ]);
  });

  it.each([
    "text",
    "json",
    "github",
  ])("does not fix a read-only file, and reports that (%s)", async (format) => {
    const cwd = workplace({ "c.yaml": faulty });
    chmodSync(join(cwd, "c.yaml"), 0o444);
    const { code, out, err } = await graphloom(cwd, `check c.yaml --fix --format ${format}`);
    expect([code, textIn(cwd)]).toEqual([1, faulty]);
    expect(err).toMatch(/(?:^|\n)Nothing was fixed\. Cannot replace c\.yaml: it is read-only\.\n$/);
    expect(`${out}${err}`).not.toContain("fixed unknown-abi");
    if (format === "json") expect(JSON.parse(out).diagnostics[0].fixable).toBe(true);
  });

  it.each(["-", "c.yaml --dry-run"])("rejects the command line: check %s", async (line) => {
    const cwd = workplace({ "c.yaml": faulty });
    const { code, out, err } = await graphloom(cwd, `check ${line}${line === "-" ? " --fix" : ""}`);
    expect([code, out, textIn(cwd)]).toEqual([2, "", faulty]);
    expect(err).toMatch(line === "-" ? /Name one instead of "-"/ : /--dry-run requires --fix/);
  });
});

describe("check --fix for programs", () => {
  it("prints only the JSON document to standard output", async () => {
    const cwd = workplace({ "c.json": config({ version: 1, chain: "mainnet" }) });
    const { code, out, err } = await graphloom(cwd, "check c.json --fix --format json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ diagnostics: [{ code: "unknown-key" }], counts: { errors: 1 } });
    expect(err).toMatch(/^fixed [\s\S]*\n@@ [\s\S]*\n1 fixed, 1 error left\n$/);
  });

  it("prints only the annotations to standard output", async () => {
    const cwd = workplace({ "c.json": config({ version: 1, chain: "mainnet" }) });
    const { out, err } = await graphloom(cwd, "check c.json --fix --format github");
    expect(out).toMatch(/^::error file=c\.json,[^\n]*title=unknown-key::[^\n]*\n$/);
    expect(err).toMatch(/^fixed [\s\S]*\n@@ [\s\S]*\n1 fixed, 1 error left\n$/);
  });
});

describe("the diff has colours", () => {
  it.each([
    ["on two terminals", "", true, true, true],
    ["not when standard output is not a terminal", "", true, false, false],
    ["not when standard error is not a terminal", "", false, true, false],
    ["not with --no-color", "--no-color", true, true, false],
    ["in output for programs when standard error is a terminal", "--format json", true, false, true],
  ])("%s", async (_, option, color, outColor, isColored) => {
    const cwd = workplace({ "c.yaml": faulty });
    let told = "";
    await run(["check", "c.yaml", "--fix", ...option.split(" ").filter(Boolean)], "1.2.3", {
      cwd,
      out: (text) => {
        told += text;
      },
      err: (text) => {
        told += text;
      },
      color,
      outColor,
      onWriting: () => undefined,
      signal: new AbortController().signal,
    });
    expect(told).toContain("+version");
    expect(told.includes("\u001b[32m+version")).toBe(isColored);
  });
});
