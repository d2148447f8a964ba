import { describe, expect, test } from "vitest";
import type { RelatedPlace } from "../../../src/compiler/diagnostics/diagnostic.js";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { load } from "../../../src/compiler/load/load.js";
import type { LoadedProject } from "../../../src/compiler/load/loaded-project.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { span, textAt } from "../parse/harness.js";

type Files = Record<string, string | Uint8Array>;

interface Loaded {
  readonly project: LoadedProject | undefined;
  readonly found: string[];
  readonly hints: (string | undefined)[];
  readonly reads: string[];
}

async function loadFiles(files: Files, path = "config.json"): Promise<Loaded> {
  const host = memoryHost(files);
  const report = new Report();
  const project = await load(path, host, report);
  const found = report.diagnostics.map(
    ({ code, at, message }) => `${at ? span(at) : "-"} ${code}: ${message}`,
  );
  return { project, found, hints: report.diagnostics.map(({ hint }) => hint), reads: host.reads };
}

/** Loads a configuration with one ABI file of this content. */
async function loadAbiFile(content: string | Uint8Array): Promise<Loaded> {
  return loadFiles({ "config.json": '{"abis":{"a":{"path":"a.json"}}}', "a.json": content });
}

/** The finding about the content of an ABI file of this content. */
async function faultOf(content: string): Promise<RelatedPlace | undefined> {
  const files = { "config.json": '{"abis":{"a":{"path":"a.json"}}}', "a.json": content };
  const report = new Report();
  await load("config.json", memoryHost(files), report);
  return report.diagnostics[0]?.related[0];
}

const event = { type: "event", name: "E", inputs: [] };
const abi = JSON.stringify([event]);

describe("a configuration", () => {
  test.each<[string, Files, string, string[]]>([
    ["missing", {}, "c.json", ['- config-missing: there is no configuration file "c.json"']],
    ["a folder", { "c/x": "" }, "c", ['- config-unreadable: "c" is a folder, not a configuration file']],
    [
      "a folder of a built subgraph",
      { "c/subgraph.yaml": "specVersion: 1.0.0\ndataSources: []\n" },
      "c",
      ['- config-unreadable: "c" is a folder with the manifest of a subgraph, not a configuration file'],
    ],
    [
      "missing beside a manifest",
      { "subgraph.yaml": "specVersion: 1.0.0\ndataSources: []\n" },
      "subgraph.json",
      [
        '- config-missing: there is no configuration file "subgraph.json"; "subgraph.yaml" is the manifest of a subgraph',
      ],
    ],
    ["empty", { "c.json": " \n" }, "c.json", ["1:1-1:1 empty-config: the configuration is empty"]],
    [
      "not UTF-8",
      { "c.json": Buffer.from([0x7b, 0x0a, 0x22, 0xc3, 0xa9, 0xff]) },
      "c.json",
      ["2:3-2:3 not-utf8: byte 6 of this file is not UTF-8"],
    ],
    [
      "UTF-16",
      { "c.json": Buffer.from("\ufeff{}", "utf16le") },
      "c.json",
      ["1:1-1:1 not-utf8: this file is encoded as UTF-16, not as UTF-8"],
    ],
    [
      "truncated",
      { "c.json": '{"a":' },
      "c.json",
      ["1:6-1:6 unexpected-end: the text ends where a value is needed"],
    ],
    ["unavailable standard input", {}, "-", ["- config-missing: standard input is not available"]],
  ])("that is %s is an error", async (_, files, path, want) => {
    const { project, found } = await loadFiles(files, path);
    expect(found).toEqual(want);
    expect(project).toBeUndefined();
  });

  test("that is larger than the limit is an error", async () => {
    const { found } = await loadFiles({ "config.json": new Uint8Array(64 * 1024 * 1024 + 1) });
    expect(found).toEqual(['- config-too-large: "config.json" is larger than the limit of 64 MB']);
  });

  test.each([
    "config.json",
    "dir/config.yaml",
    "config.json5",
    "-",
    "config",
  ])("can be read from %s", async (path) => {
    const beside = path.startsWith("dir") ? "dir/abis/a.json" : "abis/a.json";
    const files = { [path]: '\ufeff{"abis": {"a": {"path": "./abis/a.json"}}}', [beside]: abi };
    const { project, found } = await loadFiles(files, path);
    expect(found).toEqual([]);
    expect(project?.abis.get("a")?.entries).toEqual([event]);
    expect(project?.config.at.source.path).toBe(path === "-" ? "<stdin>" : path);
  });

  test("can use an ABI outside its folder", async () => {
    const files = { "a/b/c.json": '{"abis": {"a": {"path": "../../x/y.json"}}}', "x/y.json": abi };
    const { project } = await loadFiles(files, "a/b/c.json");
    expect(project?.abis.get("a")?.source.path).toBe("x/y.json");
  });

  test('cannot read an ABI from standard input with "-"', async () => {
    const { found } = await loadFiles({ "-": '{"abis": {"a": {"path": "-"}}}' }, "-");
    expect(found).toEqual(['1:25-1:28 abi-missing: the ABI file "-" does not exist']);
  });

  test.each([
    "[]",
    "1",
    '{"abis": 3}',
    '{"abis": {"a": 1, "b": {"path": 2}, "c": null}}',
  ])("%s loads without errors, because validation reports them", async (text) => {
    const { project, found } = await loadFiles({ "config.json": text });
    expect(found).toEqual([]);
    expect(project?.abis.size).toBe(0);
  });
});

describe("reads an ABI that is", () => {
  test.each<[string, string, string]>([
    ["a bare array", ` \n ${abi}`, "/0"],
    ["an artifact", `{"contractName": "X", "abi": ${abi}, "bytecode": "0x"}`, "/abi/0"],
    ["an artifact with the ABI as a string", JSON.stringify({ abi }), "/abi"],
    ["an explorer's answer", JSON.stringify({ status: "1", message: "OK", result: abi }), "/result"],
    [
      "an explorer's answer about the source code",
      JSON.stringify({
        status: "1",
        message: "OK",
        result: [{ SourceCode: "x", ABI: abi, ContractName: "X" }],
      }),
      "/result/0/ABI",
    ],
    ["the compiler's metadata", `{"compiler": {}, "output": {"abi": ${abi}, "devdoc": {}}}`, "/output/abi/0"],
    [
      "the compiler's combined output of one contract",
      `{"contracts": {"a.sol:A": {"abi": ${abi}}}, "version": "0.8.30"}`,
      "/contracts/a.sol:A/abi/0",
    ],
    [
      "the compiler's standard output of one contract",
      `{"contracts": {"a.sol": {"A": {"abi": ${abi}}}}, "sources": {}}`,
      "/contracts/a.sol/A/abi/0",
    ],
    ["an artifact of 0x", `{"compilerOutput": {"abi": ${abi}}}`, "/compilerOutput/abi/0"],
    ["a key that is repeated", `{"abi": [1], "x": {"abi": []}, "abi": ${abi}}`, "/abi/0"],
    ["a byte order mark", `\ufeff${abi}`, "/0"],
    ["brackets in strings", `{"a]}[": "\\"]}", "abi": ${abi}}`, "/abi/0"],
  ])("%s", async (_, content, pointer) => {
    const { project, found } = await loadAbiFile(content);
    expect(found).toEqual([]);
    const loaded = project?.abis.get("a");
    expect(loaded?.entries).toEqual([event]);
    const at = loaded?.locateEntry(0);
    expect(at?.pointer).toBe(pointer);
    expect(at?.source.path).toBe("a.json");
    expect(at && JSON.parse(pointer.endsWith("0") ? textAt(at) : `"${textAt(at)}"`)).toEqual(
      pointer.endsWith("0") ? event : JSON.stringify(event),
    );
  });

  test("an array in the configuration", async () => {
    const { project } = await loadFiles({ "config.json": `{"abis": {"a": [{}, ${JSON.stringify(event)}]}}` });
    const loaded = project?.abis.get("a");
    expect(JSON.stringify(loaded?.entries)).toBe(JSON.stringify([{}, event]));
    expect(loaded?.locateEntry(1).pointer).toBe("/abis/a/1");
    expect(loaded && textAt(loaded.locateEntry(1))).toBe(JSON.stringify(event));
  });

  test.each<[string, unknown, string]>([
    ["an artifact", { contractName: "A", abi: [{}, event], bytecode: "0x" }, "/abis/a/abi/1"],
    ["an artifact with the ABI as a string", { abi: JSON.stringify([{}, event]) }, "/abis/a/abi"],
    ["an artifact of 0x", { compilerOutput: { abi: [{}, event] } }, "/abis/a/compilerOutput/abi/1"],
    [
      "an explorer's answer",
      { status: "1", message: "OK", result: JSON.stringify([{}, event]) },
      "/abis/a/result",
    ],
    ["an explorer's answer with a list", { result: [{}, event] }, "/abis/a/result/1"],
  ])("%s in the configuration", async (_, object, pointer) => {
    const { project, found } = await loadFiles({ "config.json": JSON.stringify({ abis: { a: object } }) });
    const loaded = project?.abis.get("a");
    expect(found).toEqual([]);
    expect(JSON.stringify(loaded?.entries)).toBe(JSON.stringify([{}, event]));
    expect(loaded?.locateEntry(1).pointer).toBe(pointer);
    expect(loaded && textAt(loaded.locateEntry(1)).replaceAll("\\", "")).toBe(JSON.stringify(event));
  });

  test.each<[string, string, string | undefined]>([
    ["a trailing comma", `[ {}, ${JSON.stringify(event)}, ]`, "/1"],
    ["comments", `// of A\n[ {}, /* this */ ${JSON.stringify(event)} ] // end`, "/1"],
    ["both, in an artifact", `{ "abi": [ {}, ${JSON.stringify(event)}, ], /* c */ }`, "/abi/1"],
    [
      "a trailing comma behind a string",
      JSON.stringify({ result: JSON.stringify([{}, event]) }).replace(/}$/, ",}"),
      "/result",
    ],
  ])("in a file with %s, as in configurations", async (_, content, pointer) => {
    const { project, found } = await loadAbiFile(content);
    const loaded = project?.abis.get("a");
    expect(found).toEqual([]);
    expect(JSON.stringify(loaded?.entries)).toBe(JSON.stringify([{}, event]));
    expect(loaded?.locateEntry(1).pointer).toBe(pointer);
    expect(loaded && textAt(loaded.locateEntry(1)).replaceAll("\\", "")).toBe(JSON.stringify(event));
    expect(loaded && textAt(loaded.locateEntry(1, ["name"])).replaceAll("\\", "")).toBe('"E"');
  });

  test("a string in the configuration", async () => {
    const text = JSON.stringify({ abis: { a: `[ {}, ${JSON.stringify(event)}]` } });
    const loaded = (await loadFiles({ "config.json": text })).project?.abis.get("a");
    expect(loaded?.entries).toEqual([{}, event]);
    expect(loaded && JSON.parse(`"${textAt(loaded.locateEntry(1))}"`)).toBe(JSON.stringify(event));
    expect(loaded?.locateEntry(1).pointer).toBe("/abis/a");
  });

  test("a block string in YAML", async () => {
    const config = 'abis:\n  a: |\n    [\n      {},\n      { "type": "event", "name": "E" }\n    ]\n';
    const loaded = (await loadFiles({ "c.yaml": config }, "c.yaml")).project?.abis.get("a");
    expect(loaded && span(loaded.locateEntry(1))).toBe("5:7-5:39");
  });

  test("named like a member of JavaScript objects", async () => {
    const names = ["__proto__", "constructor", "toString"];
    const members = names.map((name) => `"${name}": []`).join();
    const { project } = await loadFiles({ "config.json": `{"abis": {${members}}}` });
    expect([...(project?.abis.keys() ?? [])]).toEqual(names);
  });

  test("in a file with two names, which is read only once", async () => {
    const files = {
      "config.json": '{"abis":{"a":{"path":"x.json"},"b":{"path":"./x.json"}}}',
      "x.json": abi,
    };
    const { project, reads } = await loadFiles(files);
    expect(reads).toEqual(["config.json", "x.json"]);
    expect(project?.abis.get("a")).toBe(project?.abis.get("b"));
  });
});

describe("reports as an invalid ABI", () => {
  const html = "<!DOCTYPE html>\n<html></html>";
  test.each<[string, string | Uint8Array, string]>([
    ["nothing", "", 'not-an-abi: the ABI file "a.json" is empty'],
    ["blanks", " \n", 'not-an-abi: the ABI file "a.json" is empty'],
    ["a page", html, 'not-an-abi: the ABI file "a.json" is a web page (HTML)'],
    ["XML", "<?xml?>", 'not-an-abi: the ABI file "a.json" is XML or HTML'],
    [
      "LFS",
      "version https://git-lfs.github.com/spec/v1\n",
      'not-an-abi: the ABI file "a.json" is a Git LFS pointer',
    ],
    [
      "Solidity",
      "// SPDX-License-Identifier: MIT\n",
      'not-an-abi: the ABI file "a.json" is Solidity, not an ABI',
    ],
    ["half", '[{"type":', 'not-an-abi: the ABI file "a.json" is not JSON'],
    ["a comment that does not end", "[] /* x", 'not-an-abi: the ABI file "a.json" is not JSON'],
    ["comments alone", "// x", 'not-an-abi: the ABI file "a.json" is not JSON'],
    [
      "an object with a trailing comma",
      '{ "a": 1, }',
      'not-an-abi: the ABI file "a.json" contains an object with the key "a", not an ABI',
    ],
    ["a number", "12", 'not-an-abi: the ABI file "a.json" contains a number, not an ABI'],
    ["null", "null", 'not-an-abi: the ABI file "a.json" contains null, not an ABI'],
    [
      "an object",
      '{"x":1}',
      'not-an-abi: the ABI file "a.json" contains an object with the key "x", not an ABI',
    ],
    [
      "a prototype",
      '{"__proto__":{"abi":[]}}',
      'not-an-abi: the ABI file "a.json" contains an object with the key "__proto__", not an ABI',
    ],
    [
      "the compiler's output of several contracts",
      '{"contracts":{"a.sol:A":{"abi":[]},"a.sol:B":{"abi":[]}}}',
      'not-an-abi: the ABI file "a.json" has the ABIs of 2 contracts, such as a.sol:A, a.sol:B',
    ],
    [
      "an explorer's answer about an unverified source code",
      '{"status":"1","message":"OK","result":[{"SourceCode":"","ABI":"Contract source code not verified"}]}',
      'not-an-abi: the ABI file "a.json" is an explorer\'s response without an ABI: "Contract source code not verified"',
    ],
    ["numbers", "[1,2]", 'not-an-abi: the ABI file "a.json" contains a list that is not an ABI'],
    ["human-readable", '["event E()"]', 'not-an-abi: the ABI file "a.json" is a human-readable ABI'],
    [
      "an explorer's refusal",
      '{"status":"0","message":"NOTOK","result":"Contract source code not verified"}',
      'not-an-abi: the ABI file "a.json" is an explorer\'s response without an ABI: "Contract source code not verified"',
    ],
    [
      "Latin-1",
      Buffer.from([0x5b, 0xe9]),
      'not-utf8: the ABI file "a.json" is not text: byte 2 is not UTF-8',
    ],
    ["UTF-16", Buffer.from("[]", "utf16le"), 'not-utf8: the ABI file "a.json" is encoded as UTF-16'],
  ])("%s", async (_, content, want) => {
    const { project, found } = await loadAbiFile(content);
    expect(found).toEqual([`1:22-1:30 ${want}`]);
    expect(project?.abis.size).toBe(0);
  });

  test("Hardhat's debug file beside the artifact", async () => {
    const { hints } = await loadAbiFile('{"_format": "hh-sol-dbg-1", "buildInfo": "x"}');
    expect(hints).toEqual(["use the contract's artifact, such as artifacts/contracts/Vault.sol/Vault.json"]);
  });

  test("endless nesting", async () => {
    expect((await faultOf("[".repeat(100_000)))?.text).toContain("values nest deeper than 200 levels");
    const closed = "[".repeat(100_000) + "]".repeat(100_000);
    expect((await loadAbiFile(closed)).project?.abis.get("a")?.locateEntry(0).end).toBe(199_999);
  });

  test("broken JSON, with the place", async () => {
    const fault = await faultOf("[\n  {]");
    expect(fault && [fault.at.source.path, span(fault.at), fault.text]).toEqual([
      "a.json",
      "2:4-2:5",
      expect.stringContaining('"]"'),
    ]);
  });

  test.each<[string, string, string]>([
    [
      "x.json",
      'abi-missing: the ABI file "x.json" does not exist',
      "paths are relative to the folder of the configuration file",
    ],
    ["abis\\\\a.json", 'abi-missing: the ABI file "abis\\\\a.json" does not exist', 'write "./abis/a.json"'],
    [
      "abis\\\\b.json",
      'abi-missing: the ABI file "abis\\\\b.json" does not exist',
      'separate folders with "/"',
    ],
    [
      "https://x.y/a",
      'abi-missing: the ABI file "https://x.y/a" does not exist',
      "download the ABI and give the path of the file",
    ],
    ["abis", 'abi-unreadable: the ABI file "abis" is a folder', "give the path of the ABI file inside it"],
    ["", 'abi-unreadable: the ABI file "" is a folder', "give the path of the ABI file inside it"],
    [
      "big",
      'abi-too-large: the ABI file "big" is larger than the limit of 64 MB',
      "use a file that contains only the ABI",
    ],
  ])("the path %j", async (path, want, hint) => {
    const big = new Uint8Array(64 * 1024 * 1024 + 1);
    const config = `{"abis":{"a":{"path":"${path}"}}}`;
    const { found, hints } = await loadFiles({ "config.json": config, "abis/a.json": abi, big });
    expect(found.map((line) => line.replace(/^\S+ /, ""))).toEqual([want]);
    expect(found[0]).toMatch(/^1:22-/);
    expect(hints).toEqual([hint]);
  });

  test.each<[string, unknown, string, string]>([
    [
      "an explorer's answer without an ABI",
      { status: "0", message: "NOTOK", result: "Contract source code not verified" },
      'not-an-abi: the object given as an ABI is an explorer\'s response without an ABI: "Contract source code not verified"',
      "fetch the ABI of a verified contract",
    ],
    [
      "an artifact without an ABI",
      { abi: 5 },
      'not-an-abi: the object given as an ABI has no ABI under "abi"',
      'give an ABI array, or the path of a file: { "path": "./abis/Name.json" }',
    ],
    [
      "a path under another name",
      { abi: "./abis/a.json" },
      "not-an-abi: the text given as an ABI is not JSON",
      'write { "path": "./abis/a.json" } to name a file',
    ],
    [
      "a list of strings",
      { abi: ["event E()"] },
      "not-an-abi: the list given as an ABI is a human-readable ABI",
      "give the ABI as JSON: graphloom init --abi <file> converts it",
    ],
  ])("%s in the configuration", async (_, object, want, hint) => {
    const { found, hints } = await loadFiles({ "config.json": JSON.stringify({ abis: { a: object } }) });
    expect(found.map((line) => line.replace(/^\S+ /, ""))).toEqual([want]);
    expect(hints).toEqual([hint]);
  });

  test("a string that is a path", async () => {
    const { found, hints } = await loadFiles({ "config.json": '{"abis": {"a": "./abis/a.json"}}' });
    expect(found[0]).toMatch(/^1:\d+-1:\d+ not-an-abi: the text given as an ABI is not JSON/);
    expect(hints).toEqual(['write { "path": "./abis/a.json" } to name a file']);
  });

  test("a bad file once for each of its names", async () => {
    const files = { "config.json": '{"abis":{"a":{"path":"x"},"b":{"path":"x"}}}', x: "" };
    expect((await loadFiles(files)).found).toEqual([
      '1:22-1:25 not-an-abi: the ABI file "x" is empty',
      '1:39-1:42 not-an-abi: the ABI file "x" is empty',
    ]);
  });
});

test("the loader finds the last of many entries at once, even in a string inside a file", async () => {
  const entries = Array.from({ length: 20_000 }, (_, index) => ({
    ...event,
    name: `E${index}`,
    note: '"]\\',
  }));
  const { project } = await loadAbiFile(JSON.stringify({ result: JSON.stringify(entries) }));
  const loaded = project?.abis.get("a");
  for (let index = 0; index < entries.length; index++) loaded?.locateEntry(index);
  const at = loaded?.locateEntry(19_999);
  expect(at && JSON.parse(`"${textAt(at)}"`)).toBe(JSON.stringify(entries[19_999]));
});

describe("gives a hint for an unreadable configuration:", () => {
  test.each<[string, Files, string, string]>([
    [
      "a file of the same name with a different extension",
      { "p/c.yaml": "a: 1" },
      "p/c.json",
      'did you mean "p/c.yaml"?',
    ],
    ["a name without its extension", { "c.json5": "{}" }, "c", 'did you mean "c.json5"?'],
    [
      "several files with different extensions",
      { "c.yaml": "", "c.yml": "" },
      "c.json",
      "paths are relative to the current folder",
    ],
    ["no similar file", {}, "c.json", "paths are relative to the current folder"],
    ["a web address", {}, "https://x.org/c.json", "download the file and give its path"],
    ["a folder with a configuration", { "p/subgraph.json": "{}" }, "p/", 'did you mean "p/subgraph.json"?'],
    ["a folder without a configuration", { "p/x.json": "{}" }, "p", "give the path of the file inside it"],
    ["no standard input", {}, "-", "give the path of the configuration file"],
  ])("%s", async (_, files, path, want) => {
    expect((await loadFiles(files, path)).hints).toEqual([want]);
  });

  test.each<[number, string]>([
    [0xe9, 'the byte 0xe9, in Latin-1 "é"'],
    [0x92, "the byte 0x92"],
  ])("that contains the byte %i", async (byte, want) => {
    const report = new Report();
    await load("c.json", memoryHost({ "c.json": Uint8Array.of(0x7b, byte, 0x7d) }), report);
    expect(report.diagnostics.map(({ label }) => label)).toEqual([want]);
  });
});
