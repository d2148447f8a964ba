import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { elementsOf, parseXml, textOf } from "../../support/server/xml.js";
import { config, graphloom, workplace } from "../harness.js";

const examples = join(import.meta.dirname, "../../../examples");
const golden = join(import.meta.dirname, "uniswap-v3.svg");

describe("map", () => {
  it("draws the Uniswap example exactly like the reviewed drawing", async () => {
    const { code, out, err } = await graphloom(join(examples, "uniswap-v3"), "map subgraph.json");
    expect([code, err]).toEqual([0, ""]);
    if (process.env.UPDATE_GOLDEN === "1") writeFileSync(golden, out);
    expect(out).toBe(readFileSync(golden, "utf8"));
  });

  it("shows which entities an event stores, and which event creates contracts", async () => {
    const { out } = await graphloom(join(examples, "uniswap-v3"), "map subgraph.json");
    const root = parseXml(out);
    const names = elementsOf(root, "text").map(textOf);
    for (const name of ["UniswapV3Factory", "UniswapV3Pool", "Pool", "PoolCreated", "SwapVolume"]) {
      expect(
        names.filter((text) => text === name),
        name,
      ).toHaveLength(1);
    }
    const told = textOf(elementsOf(root, "desc")[0] ?? root);
    expect(told).toMatch(/event PoolCreated\([^)]*\) stores PoolCreated, Pool and creates UniswapV3Pool/);
    const creations = elementsOf(root, "path").filter((path) => path.attributes.has("marker-end"));
    expect(creations).toHaveLength(1);
  });

  it("writes to a file, but overwrites only its own drawings", async () => {
    const cwd = workplace({ "c.json": config(), "notes.svg": "mine" });
    const first = await graphloom(cwd, "map c.json --output map.svg");
    expect([first.code, first.out, first.err]).toEqual([0, "", ""]);
    const drawing = readFileSync(join(cwd, "map.svg"), "utf8");
    expect(drawing).toContain(">Token<");
    expect((await graphloom(cwd, "map c.json --output map.svg")).code).toBe(0);
    expect(readFileSync(join(cwd, "map.svg"), "utf8")).toBe(drawing);
    const refused = await graphloom(cwd, "map c.json --output notes.svg");
    expect([refused.code, refused.err]).toEqual([
      1,
      "notes.svg cannot be written: a file with this name already exists, and graphloom did not write it. Choose another name, or remove the file.\n",
    ]);
    expect(readFileSync(join(cwd, "notes.svg"), "utf8")).toBe("mine");
  });

  it.each([
    ["no/folder/map.svg", "its folder does not exist. Create the folder first, or choose another name."],
    ["c.json/map.svg", "a part of its path is not a folder. Choose another name."],
    ["folder.svg", "it is a folder. Name a file in it."],
    ["/dev/zero --format svg", "it is not a file. Choose another name."],
  ])("says why it cannot write to %s, and leaves nothing behind", async (output, why) => {
    const cwd = workplace({ "c.json": config(), "folder.svg/note.txt": "mine" });
    const { code, out, err } = await graphloom(cwd, `map c.json --output ${output}`);
    expect([code, out, err]).toEqual([1, "", `${output.split(" ")[0]} cannot be written: ${why}\n`]);
    expect(readdirSync(cwd, { recursive: true }).sort()).toEqual([
      "c.json",
      "folder.svg",
      "folder.svg/note.txt",
    ]);
  });

  it("draws in the format of the file's ending", async () => {
    const cwd = workplace({ "c.json": config() });
    for (const file of ["map.mmd", "MAP.MERMAID"]) {
      expect(await graphloom(cwd, `map c.json --output ${file}`)).toMatchObject({
        code: 0,
        out: "",
        err: "",
      });
      expect(readFileSync(join(cwd, file), "utf8")).toMatch(/^%% Drawn by graphloom map\nflowchart LR\n/);
    }
    expect((await graphloom(cwd, "map c.json --format mermaid")).out).toContain("flowchart LR");
    expect((await graphloom(cwd, "map c.json --format mermaid --output map.txt")).code).toBe(0);
    expect(readFileSync(join(cwd, "map.txt"), "utf8")).toContain("flowchart LR");
    const dark = (await graphloom(cwd, "map c.json --theme dark")).out;
    expect(dark).toContain("color-scheme:dark");
    expect(dark).not.toContain("@media");
  });

  it("shows the fields of entities on request", async () => {
    const cwd = workplace({ "c.json": config() });
    const texts = async (line: string): Promise<readonly string[]> =>
      elementsOf(parseXml((await graphloom(cwd, line)).out), "text").map((text) => textOf(text).trim());
    expect((await texts("map c.json")).filter((text) => text.endsWith("BigInt!"))).toEqual([]);
    expect((await texts("map c.json --fields")).filter((text) => text.endsWith("BigInt!"))).toEqual([
      "value  BigInt!",
    ]);
  });

  it.each([
    ["--output x.jpg", "the name of a map must end in .svg, .png or .mmd, not .jpg"],
    ["--output c.json", "the name of a map must end in .svg, .png or .mmd, not .json"],
    ["--output map", "must end in .svg, .png or .mmd, not map"],
    ["--output x.svg --format png", "--output ends in .svg, but --format is png"],
    ["--format png", "--format png writes to a file. Name it with --output map.png"],
    ["--readme R.md --format svg", "Name the file with --output map.svg"],
    ["--check", "Name them with --readme or --output"],
    ["--output x.png --check", "--check compares bytes"],
    ["--output=", "--output: the name of the file is empty. Name it, such as map.svg."],
    ["--readme=", "--readme: the name of the file is empty. Name it, such as README.md."],
    ["--readme map.svg --output ./map.svg", "--readme and --output name the same file"],
  ])("refuses contradictions, and writes nothing: %s", async (options, message) => {
    const cwd = workplace({ "c.json": config() });
    const { code, out, err } = await graphloom(cwd, `map c.json ${options}`);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(message)]);
    expect(readdirSync(cwd)).toEqual(["c.json"]);
    expect(readFileSync(join(cwd, "c.json"), "utf8")).toBe(config());
  });

  it("describes the drawing in text", async () => {
    const { out } = await graphloom(workplace({ "c.json": config() }), "map c.json");
    const told = textOf(elementsOf(parseXml(out), "desc")[0] ?? parseXml(out));
    expect(told.split("\n")).toEqual([
      "Contracts: 1. Events and calls: 1. Entity types: 1.",
      expect.stringMatching(/^Token: event Transfer.* stores Transfer\.$/),
    ]);
  });

  it("reports the errors of an invalid configuration and draws nothing", async () => {
    const cwd = workplace({ "c.json": config({ version: "7" }) });
    const { code, out, err } = await graphloom(cwd, "map c.json");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("error[");
  });
});

describe("map --readme", () => {
  const readme = "# Tokens\r\n\r\n<!-- graphloom map -->\r\nold\r\n<!-- /graphloom map -->\r\nMore.\r\n";
  const read = (cwd: string, file: string): string => readFileSync(join(cwd, file), "utf8");

  it("keeps the map in a README, as Mermaid, and changes nothing when it is up to date", async () => {
    const cwd = workplace({ "c.json": config(), "README.md": readme });
    const first = await graphloom(cwd, "map c.json --readme README.md");
    expect([first.code, first.out, first.err]).toEqual([0, "", ""]);
    const text = read(cwd, "README.md");
    expect(text).toMatch(/^# Tokens\r\n\r\n<!-- graphloom map -->\r\n\r\n```mermaid\r\n%% Drawn/);
    expect(text).toMatch(/\r\n```\r\n\r\n<!-- \/graphloom map -->\r\nMore\.\r\n$/);
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect((await graphloom(cwd, "map c.json --readme README.md")).code).toBe(0);
    expect(read(cwd, "README.md")).toBe(text);
    expect(readdirSync(cwd).sort()).toEqual(["README.md", "c.json"]);
  });

  it("keeps a picture in a README when the map is written to a file", async () => {
    const cwd = workplace({ "c.json": config(), "docs/README.md": readme });
    const { code } = await graphloom(cwd, "map c.json --readme docs/README.md --output map.svg");
    expect(code).toBe(0);
    expect(read(cwd, "docs/README.md")).toMatch(
      /-->\r\n\r\n!\[Map of [^\]]+\]\(\.\.\/map\.svg\)\r\n\r\n<!--/,
    );
    expect(read(cwd, "map.svg")).toContain(">Token<");
  });

  it("says which lines to add, and writes nothing", async () => {
    const cwd = workplace({ "c.json": config(), "README.md": "# Tokens\n" });
    const { code, err } = await graphloom(cwd, "map c.json --readme README.md --output map.svg");
    expect([code, err]).toEqual([
      1,
      "README.md has no place for the map. Add these two lines where the map should be, and run this again:\n\n<!-- graphloom map -->\n<!-- /graphloom map -->\n\n",
    ]);
    expect(readdirSync(cwd).sort()).toEqual(["README.md", "c.json"]);
    expect(read(cwd, "README.md")).toBe("# Tokens\n");
    const missing = await graphloom(cwd, "map c.json --readme NO.md");
    expect([missing.code, missing.err]).toEqual([1, "NO.md cannot be read: there is no such file\n"]);
    const folder = await graphloom(cwd, "map c.json --readme .");
    expect([folder.code, folder.err]).toEqual([1, ". cannot be read: it is a folder\n"]);
    const endless = await graphloom(cwd, "map c.json --readme /dev/zero");
    expect([endless.code, endless.err]).toEqual([1, "/dev/zero cannot be read: it is a device\n"]);
  });

  it("writes no picture if the README that would show it is read-only", async () => {
    const cwd = workplace({ "c.json": config(), "README.md": readme });
    chmodSync(join(cwd, "README.md"), 0o444);
    const { code, err } = await graphloom(cwd, "map c.json --readme README.md --output map.svg");
    expect([code, err]).toEqual([1, "README.md cannot be written: it is read-only.\n"]);
    expect(readdirSync(cwd).sort()).toEqual(["README.md", "c.json"]);
  });

  it("leaves a file unchanged if it is not UTF-8", async () => {
    const cwd = workplace({ "c.json": config() });
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(readme)]);
    writeFileSync(join(cwd, "README.md"), bytes);
    const { code, err } = await graphloom(cwd, "map c.json --readme README.md");
    expect([code, err]).toEqual([1, expect.stringContaining("is not a Markdown file in UTF-8")]);
    expect(readFileSync(join(cwd, "README.md")).equals(bytes)).toBe(true);
  });

  it("fails with --check until its files are up to date", async () => {
    const cwd = workplace({ "c.json": config(), "README.md": readme });
    const line = "map c.json --readme README.md --output map.svg";
    const before = await graphloom(cwd, `${line} --check`);
    expect([before.code, before.err]).toEqual([
      1,
      [
        "map.svg is out of date. Run the same command without --check.",
        "README.md is out of date. Run the same command without --check.\n",
      ].join("\n"),
    ]);
    expect(readdirSync(cwd).sort()).toEqual(["README.md", "c.json"]);
    expect(read(cwd, "README.md")).toBe(readme);
    expect((await graphloom(cwd, line)).code).toBe(0);
    expect(await graphloom(cwd, `${line} --check`)).toMatchObject({ code: 0, out: "", err: "" });
    writeFileSync(join(cwd, "map.svg"), `${read(cwd, "map.svg")} `);
    expect((await graphloom(cwd, `${line} --check`)).err).toMatch(/^map\.svg is out of date\. [^\n]+\n$/);
  });
});
