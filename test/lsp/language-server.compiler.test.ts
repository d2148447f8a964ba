import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type {
  CodeAction,
  CompletionItem,
  DocumentSymbol,
  Hover,
  Location,
  WorkspaceEdit,
} from "vscode-languageserver/node";
import { startAsc } from "../../src/machine/compiler/asc.js";
import { check } from "../../src/machine/compiler/compile.js";
import { createNodeHost } from "../../src/machine/files/host.js";
import { exampleNames, examples } from "../support/compiler/examples.js";
import { testFolder } from "../support/folder.js";
import { propertyRun } from "../support/property/property-run.js";
import { editorWith } from "./editor.js";

const asc = startAsc();
afterAll(() => asc.close());
const openEditor = (path: string, marked: string, encode?: (uri: string) => string) =>
  editorWith({ asc }, path, marked, encode);

const abi = JSON.stringify(
  [
    {
      type: "event",
      name: "Transfer",
      anonymous: false,
      inputs: [
        { name: "from", type: "address", indexed: true },
        { name: "to", type: "address", indexed: true },
        { name: "value", type: "uint256", indexed: false },
      ],
    },
    {
      type: "function",
      name: "balanceOf",
      stateMutability: "view",
      inputs: [{ name: "owner", type: "address" }],
      outputs: [{ name: "", type: "uint256" }],
    },
  ],
  null,
  2,
);

/** A configuration with a call, and with a value of an entity that may have a mark for the cursor. */
const configuration = (params: string, value: string): string => `{
  "version": "1",
  "abis": { "Token": { "path": "./Token.json" } },
  "instances": [
    {
      "abi": "Token",
      "address": "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
      "startBlock": 1,
      "chain": "mainnet",
      "enrich": {
        "handlers": {
          "Transfer": {
            "calls": { "balance": { "name": "balanceOf", "params": "${params}" } },
            "entities": { "Holder": { "left uint256": "${value}" } }
          }
        }
      }
    }
  ]
}
`;
const sound = configuration("event.params.to", "calls.balance === null ? BigInt.zero() : calls.balance!");

/** An editor with one open document, in a folder with its ABI. The text may have a `|` where the cursor is. */
async function editing(marked: string, name = "subgraph.json") {
  const folder = testFolder();
  writeFileSync(join(folder, "Token.json"), abi);
  writeFileSync(join(folder, name), marked.replace("|", ""));
  return openEditor(join(folder, name), marked);
}

const labels = async (marked: string, name?: string): Promise<readonly string[]> => {
  const { ask, bugs } = await editing(marked, name);
  const items = await ask<readonly CompletionItem[]>("completion");
  expect(bugs).toEqual([]);
  return items.map(({ label }) => label);
};

describe("the language server", () => {
  it("reports what check reports, and takes it back once it is mended", async () => {
    const editor = await editing(sound.replace('"balanceOf"', '"balanceof"'));
    const [diagnostic] = await editor.found();
    expect(diagnostic).toMatchObject({ code: "unknown-function", severity: 1, source: "graphloom" });
    const { start, end } = diagnostic?.range ?? { start: { line: 0, character: 0 }, end: { character: 0 } };
    expect(editor.text.split("\n")[start.line]?.slice(start.character, end.character)).toBe('"balanceof"');
    await editor.change(sound, 2);
    expect(await editor.found()).toEqual([]);
    expect(editor.bugs).toEqual([]);
  });

  it("finds documents whose addresses the editor encodes in its own way", async () => {
    const folder = join(testFolder(), "a b@c");
    mkdirSync(folder);
    writeFileSync(join(folder, "Token.json"), abi);
    writeFileSync(join(folder, "subgraph.json"), "");
    const editor = await openEditor(join(folder, "subgraph.json"), sound, (uri) => uri.replace("@", "%40"));
    expect(await editor.found()).toEqual([]);
    await editor.change(sound.replace('"balanceOf"', '"balanceof"'), 2);
    expect((await editor.found()).map(({ code }) => code)).toEqual(["unknown-function"]);
  });

  it("leaves other documents alone", async () => {
    const editor = await editing('{ "name": "x", "instances": 5 }', "package.json");
    expect(await editor.found()).toEqual([]);
    expect(await editor.ask("completion")).toEqual([]);
  });

  it("offers the certain fixes, one by one and together", async () => {
    const editor = await editing(sound.replace('"balanceOf"', '"balanceof"'));
    const [diagnostic] = await editor.found();
    const actions = await editor.ask<readonly CodeAction[]>("codeAction", {
      range: diagnostic?.range,
      context: { diagnostics: [] },
    });
    expect(actions.map(({ title, kind }) => [title, kind])).toEqual([
      ['Write "balanceOf"', "quickfix"],
      ["Apply all certain fixes", "source.fixAll"],
    ]);
    expect(actions[0]?.edit?.changes?.[editor.uri]).toMatchObject([
      { newText: expect.stringContaining("O") },
    ]);
  });

  it.each<[string, string, readonly string[]]>([
    ["parameters of the event", configuration("event.params.|", "x"), ["from", "to", "value"]],
    ["parameters behind a part of one", configuration("event.params.t|", "x"), ["from", "to", "value"]],
    [
      "calls and whether they reverted",
      configuration("event.params.to", "calls.|"),
      ["balance", "balance_reverted"],
    ],
  ])("completes %s", async (_, marked, expected) => {
    expect(await labels(marked)).toEqual(expected);
  });

  it("completes ABIs, chains, events, functions and settings", async () => {
    expect(await labels(sound.replace('"abi": "Token"', '"abi": "|"'))).toEqual(["Token"]);
    expect(await labels(sound.replace('"mainnet"', '"|"'))).toContain("base");
    expect(await labels(sound.replace('"Transfer": {', '"|": {'))).toEqual([
      "Transfer(address,address,uint256)",
    ]);
    expect(await labels(sound.replace('"balanceOf"', '"|"'))).toEqual(["balanceOf"]);
    expect(await labels(sound.replace('"startBlock": 1,', '"|'))).toContain("startBlock");
    expect(await labels(sound.replace('"params": "event.params.to"', '"|"'))).toContain("params");
    expect(await labels(sound.replace('"left uint256"', '"left |"'))).toContain("left uint256");
  });

  it("completes in YAML", async () => {
    const yaml = `version: "1"
abis: { Token: { path: ./Token.json } }
instances:
  - abi: Token
    address: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
    startBlock: 1
    chain: mainnet
    enrich:
      handlers:
        Transfer:
          entities:
            Holder:
              left uint256: event.params.v|
`;
    expect(await labels(yaml, "subgraph.yaml")).toEqual(["from", "to", "value"]);
  });

  it("shows what names stand for", async () => {
    const shown = async (marked: string): Promise<string> => {
      const { ask } = await editing(marked);
      const hover = await ask<Hover | null>("hover");
      return hover ? (hover.contents as { readonly value: string }).value : "";
    };
    expect(await shown(configuration("event.params.t|o", "x"))).toContain("to: Address");
    expect(await shown(sound.replace('"Transfer"', '"Tran|sfer"'))).toContain(
      "event Transfer(indexed address,indexed address,uint256)",
    );
    expect(await shown(sound.replace('"balanceOf"', '"bal|anceOf"'))).toContain(
      "function balanceOf(address):(uint256)",
    );
    expect(await shown(sound.replace('"startBlock"', '"start|Block"'))).toContain("block");
    expect(await shown(sound.replace("BigInt.zero", "Big|Int.zero"))).toContain("graph-ts");
  });

  it("leads from an event, a function and a parameter to the ABI", async () => {
    const target = async (marked: string): Promise<string> => {
      const { ask, folder } = await editing(marked);
      const location = await ask<Location | null>("definition");
      if (!location) return "";
      expect(location.uri).toBe(pathToFileURL(join(folder, "Token.json")).href);
      const lines = readFileSync(join(folder, "Token.json"), "utf8").split("\n");
      return lines[location.range.start.line]?.trim() ?? "";
    };
    expect(await target(sound.replace('"Transfer"', '"Tran|sfer"'))).toBe('"name": "Transfer",');
    expect(await target(sound.replace('"balanceOf"', '"bal|anceOf"'))).toBe('"name": "balanceOf",');
    expect(await target(configuration("event.params.t|o", "x"))).toContain('"to"');
  });

  it("renames a call with everything that reads it", async () => {
    const { ask, uri, text } = await editing(sound.replace("calls.balance ===", "calls.bal|ance ==="));
    const edit = await ask<WorkspaceEdit>("rename", { newName: "left" });
    const edits = [...(edit.changes?.[uri] ?? [])].sort(
      (one, other) =>
        other.range.start.line - one.range.start.line ||
        other.range.start.character - one.range.start.character,
    );
    const lines = text.split("\n");
    for (const { range, newText } of edits) {
      const line = lines[range.start.line] ?? "";
      lines[range.start.line] =
        line.slice(0, range.start.character) + newText + line.slice(range.end.character);
    }
    expect(lines.join("\n")).toBe(
      sound
        .replace('"balance":', '"left":')
        .replace("calls.balance ===", "calls.left ===")
        .replace("calls.balance!", "calls.left!"),
    );
    await expect(ask("rename", { newName: "not a name" })).rejects.toThrow("A name is a letter");
  });

  it("has an outline of the configuration", async () => {
    const { ask } = await editing(sound);
    const symbols = await ask<readonly DocumentSymbol[]>("documentSymbol");
    const shown = (symbol: DocumentSymbol): unknown => [symbol.name, ...(symbol.children ?? []).map(shown)];
    expect(symbols.map(shown)).toEqual([["Token"], ["Token", ["Transfer", ["balance"], ["Holder"]]]]);
  });
});

describe.each(exampleNames)("the example %s in an editor", (name) => {
  const path = join(examples, name, "subgraph.json");
  const text = readFileSync(path, "utf8");

  it("has the diagnostics of check", async () => {
    const editor = await openEditor(path, text);
    const { diagnostics } = await check(path, createNodeHost({ cwd: examples }), { asc });
    const own = diagnostics.filter(({ at }) => at === undefined || at.source.path === path);
    expect((await editor.found()).map(({ code }) => code)).toEqual(own.map(({ code }) => code));
    expect(editor.bugs).toEqual([]);
  });

  it("answers at any place, also while it is being typed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: text.length }), fc.nat({ max: 12 }), async (at, lost) => {
        // What follows the cursor may be missing.
        const editor = await openEditor(path, `${text.slice(0, at)}${text.slice(at + lost)}`);
        for (const method of ["completion", "hover", "definition", "prepareRename"])
          await editor.ask(method, {}, at);
        await editor.ask("documentSymbol");
        expect(editor.bugs).toEqual([]);
      }),
      propertyRun(8),
    );
  });
});
