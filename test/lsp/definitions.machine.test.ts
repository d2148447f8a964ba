import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CompletionItem, DocumentSymbol, Hover, WorkspaceEdit } from "vscode-languageserver/node";
import { testFolder } from "../support/folder.js";
import { propertyRun } from "../support/property/property-run.js";
import { editorWith } from "./editor.js";

const sound = `name: flow
sources:
  transfers:
    type: dataset
    dataset_name: ethereum.erc20_transfers
    start_at: latest
transforms:
  large:
    sql: SELECT id, amount FROM transfers WHERE amount > 5
    primary_key: id
sinks:
  shown:
    type: print
    from: large
`;

async function editing(marked: string, name = "flow.yaml") {
  const path = join(testFolder(), name);
  writeFileSync(path, marked.replace("|", ""));
  return editorWith({}, path, marked);
}

async function labels(marked: string): Promise<readonly string[]> {
  const { ask, bugs } = await editing(marked);
  const items = await ask<readonly CompletionItem[]>("completion");
  expect(bugs).toEqual([]);
  return items.map(({ label }) => label);
}

describe("the language server in the definition of a pipeline", () => {
  it("reports what pipeline validate finds, and takes it back once it is mended", async () => {
    const editor = await editing(sound.replace("from: large", "from: larger"));
    const diagnostic = (await editor.found()).find(({ code }) => code === "unknown-node");
    expect(diagnostic).toMatchObject({ severity: 1, source: "graphloom" });
    expect(diagnostic?.range.start.line).toBe(13);
    expect(diagnostic?.message).toContain("larger");
    await editor.change(sound.replace("amount > 5", "amont > 5"), 2);
    expect((await editor.found()).map(({ range }) => range.start.line)).toEqual([8]);
    await editor.change(sound, 3);
    expect(await editor.found()).toEqual([]);
    expect(editor.bugs).toEqual([]);
  });

  it("leaves files of other tools alone", async () => {
    for (const other of [
      "sources:\n  a: { type: vector }\nsinks:\n  b: { type: x }\n",
      "kind: Deployment\nname: x\nsources: {}\nsinks: {}\n",
      "name: x\nsources: [a.md]\n",
    ]) {
      const editor = await editing(other);
      expect(await editor.found()).toEqual([]);
      expect(await editor.ask("completion", {}, 0)).toEqual([]);
    }
  });

  it("completes settings, types, names of nodes, datasets and columns", async () => {
    expect(await labels(sound.replace("start_at: latest", "|"))).toEqual(
      expect.arrayContaining(["start_at", "end_block"]),
    );
    expect(await labels(sound.replace("type: print", "type: |"))).toEqual(
      expect.arrayContaining(["postgres", "clickhouse", "print"]),
    );
    expect(await labels(sound.replace("from: large", "from: |"))).toEqual(
      expect.arrayContaining(["large", "transfers"]),
    );
    expect(await labels(sound.replace("ethereum.erc20_transfers", "ethereum.|"))).toContain(
      "ethereum.raw_logs",
    );
    expect(
      await labels(sound.replace("SELECT id, amount FROM transfers", "SELECT | FROM transfers")),
    ).toContain("sender");
    expect(await labels(sound.replace("FROM transfers", "FROM |"))).toContain("transfers");
  });

  it("explains settings and datasets, lists the nodes, and renames one wherever it is named", async () => {
    const hovered = await editing(sound.replace("dataset_name: ethereum", "dataset_name: ether|eum"));
    const { contents } = (await hovered.ask<Hover>("hover")) as { contents: { value: string } };
    expect(contents.value).toContain("`sender`");
    const outline = await hovered.ask<readonly DocumentSymbol[]>("documentSymbol");
    expect(outline.map(({ name }) => name)).toEqual(["transfers", "large", "shown"]);
    const renaming = await editing(sound.replace("  transfers:", "  tran|sfers:"));
    const edit = await renaming.ask<WorkspaceEdit>("rename", { newName: "moves" });
    expect(edit.changes?.[renaming.uri]?.map(({ range }) => range.start.line)).toEqual([2, 8]);
    await expect(renaming.ask("rename", { newName: "large" })).rejects.toThrow("name of another one");
  });

  it("finds nothing wrong with the examples", async () => {
    const folder = join(import.meta.dirname, "../../examples/pipelines");
    const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
    expect(files.length).toBeGreaterThan(3);
    for (const name of files) {
      const editor = await editorWith({}, join(folder, name), readFileSync(join(folder, name), "utf8"));
      await editor.found();
      expect([name, editor.bugs]).toEqual([name, []]);
    }
  });

  it("answers at every place of a definition from which text is missing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(sound.length), fc.nat(30), async (at, length) => {
        const text = sound.slice(0, at) + sound.slice(at + length);
        const editor = await editing(`${text.slice(0, at)}|${text.slice(at)}`);
        for (const what of ["completion", "hover", "documentSymbol", "definition"]) await editor.ask(what);
        expect(editor.bugs).toEqual([]);
      }),
      propertyRun(25),
    );
  });
});
