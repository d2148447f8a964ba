import { describe, expect, it } from "vitest";
import type { Compilation } from "../../../src/compiler/compilation.js";
import { compile } from "../../../src/machine/compiler/compile.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { expectSound } from "../property/properties.js";
import { abi, address, compiled, configuration, errorsOf } from "./harness.js";

const formats = ["c.json", "c.json5", "c.yaml"];

async function compiledText(path: string, text: string): Promise<Compilation> {
  const outcome = await compile(path, memoryHost({ [path]: text, "v.json": JSON.stringify(abi) }));
  expectSound(outcome);
  return outcome;
}

const deep = 100_000;
const lists = "[".repeat(deep) + "]".repeat(deep);
const objects = `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`;
const mixed = `${'[{"a":'.repeat(deep / 2)}1${"}]".repeat(deep / 2)}`;
const shapes = {
  lists,
  objects,
  mixed,
  "open lists": "[".repeat(deep),
  "open objects": '{"a":'.repeat(deep),
};

describe.each(Object.entries(shapes))("a hundred thousand levels of %s", (_, nest) => {
  const instance = `{ "abi": "A", "address": "${address}", "startBlock": 1, "chain": "mainnet" }`;
  const right = `"version": "1", "abis": { "A": { "path": "v.json" } }`;

  it.each(formats)("as the whole configuration are an error in %s", async (path) => {
    expect(errorsOf(await compiledText(path, nest))).not.toEqual([]);
  });

  it.each(formats)("anywhere in the configuration are an error in %s", async (path) => {
    const texts = [
      `{ ${right}, "instances": ${nest} }`,
      `{ ${right}, "instances": [${instance}], "name": ${nest} }`,
      `{ ${right}, "instances": [${instance.replace("}", `, "enrich": { "handlers": ${nest} } }`)}] }`,
      `{ "version": "1", "abis": { "A": ${nest} }, "instances": [${instance}] }`,
    ];
    for (const text of texts) expect(errorsOf(await compiledText(path, text))).not.toEqual([]);
  });

  it("in an ABI, in a file and in a string, are an error or are ignored", async () => {
    const entry = `[${JSON.stringify(abi[0])}, { "type": "event", "name": "B", "inputs": ${nest} }]`;
    for (const text of [nest, entry, `{ "abi": ${nest} }`]) {
      const config = (one: unknown) => ({
        version: "1",
        abis: { A: one },
        instances: [JSON.parse(instance)],
      });
      expect(errorsOf(await compiled(config({ path: "d.json" }), { "d.json": text }))).not.toEqual([]);
      expect(errorsOf(await compiled(config(text)))).not.toEqual([]);
    }
  });
});

describe("very many nested YAML levels:", () => {
  it.each<[string, string]>([
    ["dashes", `${"- ".repeat(deep)}a\n`],
    ["question marks", `${"? ".repeat(deep)}a\n`],
    // Indentation grows by a space per level, so a few thousand levels make megabytes.
    ["indented keys", Array.from({ length: 3000 }, (_, level) => `${" ".repeat(level)}a:\n`).join("")],
    ["indented dashes", Array.from({ length: 3000 }, (_, level) => `${" ".repeat(level)}-\n`).join("")],
  ])("%s are an error", async (_, text) => {
    expect(errorsOf(await compiledText("c.yaml", text))).not.toEqual([]);
  });
});

describe("a key that JavaScript objects inherit", () => {
  const text = JSON.stringify(configuration({}));
  const openings = [...text.matchAll(/\{/g)].map(({ index }) => index + 1);

  it.each([
    "__proto__",
    "constructor",
    "toString",
  ])("%s in any object is an error or an ordinary name", async (key) => {
    const right = await compiledText("c.json", text);
    expect(errorsOf(right)).toEqual([]);
    for (const path of formats) {
      for (const at of openings) {
        const member = `"${key}": { "version": "1", "path": "v.json", "PWNED": "x" },`;
        const outcome = await compiledText(path, text.slice(0, at) + member + text.slice(at));
        expect(errorsOf(outcome), `${path} ${text.slice(at - 40, at)}`).not.toEqual([]);
      }
    }
    expect(({} as Record<string, unknown>).PWNED).toBeUndefined();
  });
});
