import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { config, graphloom, storing, workplace } from "../harness.js";

const wrong = storing("event.params.value");
const framed = `error[expression-type]: AssemblyScript rejects the value of Note.text
  --> c.json:37:33  /instances/0/enrich/handlers/Transfer/entities/Note/text string
   |
37 |                 "text string": "event.params.value"
   |                                 ^^^^^^^^^^^^^^^^^^ a BigInt where a string is needed
   = note: asc TS2322: Type 'BigInt' is not assignable to type 'string' (src/token.ts:28:5)
   = hint: append .toString()

1 error
it can be fixed: graphloom check c.json --fix
`;

describe("check", () => {
  it("reports that a configuration is fine, and writes nothing", async () => {
    const cwd = workplace({ "c.json": config() });
    expect(await graphloom(cwd, "check c.json")).toEqual({
      code: 0,
      out: [
        "c.json is fine:",
        "  mainnet   1 data source",
        "  entities  1: Transfer",
        "  handlers  1 in 1 file under src/",
        "",
      ].join("\n"),
      err: "",
      writing: [],
    });
    expect(readdirSync(cwd)).toEqual(["c.json"]);
  });

  it("checks subgraph.json when no file is named", async () => {
    const cwd = workplace({ "subgraph.json": config(), "c.json": wrong });
    expect(await graphloom(cwd, "check")).toMatchObject({
      code: 0,
      out: expect.stringContaining("subgraph.json is fine"),
    });
  });

  it("reports errors that only the compiler finds", async () => {
    const cwd = workplace({ "c.json": wrong });
    expect(await graphloom(cwd, "check c.json")).toEqual({ code: 1, out: "", err: framed, writing: [] });
  });

  it("reads standard input, and needs no subgraph name", async () => {
    const { code, out } = await graphloom(workplace(), "check -", { stdin: config({ name: undefined }) });
    expect([code, out.split("\n")[0]]).toEqual([0, "<stdin> is fine:"]);
  });
});

describe("colors", () => {
  const colorStart = "\u001b[";
  it.each([
    ["colors output on a terminal", "check c.json", true, true],
    ["prints no colors without a terminal", "check c.json", false, false],
    ["prints no colors without a terminal, even with --color", "check c.json --color", false, false],
    ["prints no colors with --no-color", "check c.json --no-color", true, false],
    ["prints no colors with --no-color before the command", "--no-color check c.json", true, false],
  ])("%s", async (_, line, color, isColored) => {
    const { err } = await graphloom(workplace({ "c.json": "[]" }), line, { color });
    expect(err).toContain("error[wrong-type]");
    expect(err.includes(colorStart)).toBe(isColored);
  });
});

describe("--format json", () => {
  it.each([
    "check c.json",
    "compile c.json --out x",
    "subgraph init --from-config c.json",
  ])("%s prints only the document, with and without errors", async (line) => {
    const bad = await graphloom(workplace({ "c.json": "[]" }), `${line} --format json`, { color: true });
    expect([bad.code, bad.err]).toEqual([1, ""]);
    expect(JSON.parse(bad.out)).toMatchObject({
      version: 1,
      diagnostics: [{ code: "wrong-type", file: "c.json", pointer: "", start: { line: 1, column: 1 } }],
      counts: { errors: 1, warnings: 0, notes: 0 },
    });
    const good = await graphloom(workplace({ "c.json": config() }), `${line} --format json`);
    expect(good.code).toBe(0);
    expect(JSON.parse(good.out)).toEqual({
      version: 1,
      diagnostics: [],
      counts: { errors: 0, warnings: 0, notes: 0 },
    });
    expect(good.err).toMatch(/^(?:Wrote (?:x|pools)|c\.json is fine):/);
  });

  it("compile --check prints the document although the files differ", async () => {
    const cwd = workplace({ "c.json": config() });
    const { code, out, err } = await graphloom(cwd, "compile c.json --check --format json");
    expect([code, JSON.parse(out).diagnostics]).toEqual([1, []]);
    expect(err).toContain("pools is not what c.json generates");
  });
});

describe("--format github", () => {
  it("prints annotations for GitHub", async () => {
    const { code, out, err } = await graphloom(
      workplace({ "c.json": wrong }),
      "check c.json --format github",
    );
    expect([code, err]).toEqual([1, "1 error\n"]);
    expect(out).toBe(
      "::error file=c.json,line=37,col=33,endColumn=51,title=expression-type::" +
        "AssemblyScript rejects the value of Note.text: a BigInt where a string is needed" +
        "%0Anote: asc TS2322: Type 'BigInt' is not assignable to type 'string' (src/token.ts:28:5)%0Ahint: append .toString()\n",
    );
  });
});

describe("errors that --fix can correct", () => {
  const faulty = config({ version: 1, name: "pools/1.0.0", chain: "x" });

  it("counts the errors that can be fixed, and prints the command that fixes them", async () => {
    const cwd = workplace({ "c.json": faulty, "d.json": config({ version: 1 }), "e.json": "[]" });
    const { err } = await graphloom(cwd, "check c.json");
    expect(err).toMatch(/\n2 errors\n1 of them can be fixed: graphloom check c\.json --fix\n$/);
    const one = await graphloom(cwd, "compile d.json --out x");
    expect(one.err).toMatch(/\n1 error\nit can be fixed: graphloom check d\.json --fix\n$/);
    expect((await graphloom(cwd, "check e.json")).err).toMatch(/\n1 error\n$/);
  });

  it("does not count fixable errors for standard input and for formats that programs read", async () => {
    const cwd = workplace({ "c.json": faulty });
    expect((await graphloom(cwd, "check -", { stdin: faulty })).err).toMatch(/\n2 errors\n$/);
    expect((await graphloom(cwd, "check c.json --format github")).err).toBe("2 errors\n");
    expect((await graphloom(cwd, "check c.json --format json")).err).toBe("");
  });
});
