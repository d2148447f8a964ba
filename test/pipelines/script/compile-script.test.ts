import { describe, expect, it } from "vitest";
import { compileScript, type ScriptLanguage } from "../../../src/pipelines/script/compile-script.js";

/** What is wrong with a script, each with the text that is marked. */
async function faultsOf(text: string, language: ScriptLanguage = "typescript"): Promise<readonly string[]> {
  const { faults } = await compileScript(text, language);
  return faults.map(({ code, message, start, end }) => `${code}: ${message}: ${text.slice(start, end)}`);
}

const sound = "function invoke(data) { return data; }";

describe("a script", () => {
  it.each([
    sound,
    "const invoke = (data: { id: string }): unknown => ({ id: data.id });",
    "interface Row { id: string }\nenum Kind { A }\nfunction invoke(data: Row) { return { ...data, kind: Kind.A }; }",
    "function invoke(data) { return { at: new Date(Number(data.time)).toISOString() }; }",
    "function invoke(data) { const process = (x) => x; return { a: process(data.require), fetch: data.fetch }; }",
    "function invoke({ module: name }) { return typeof console === 'undefined' ? { name } : null; }",
  ])("may be %s", async (text) => {
    expect(await faultsOf(text)).toEqual([]);
  });

  it("becomes JavaScript, without types", async () => {
    const { code } = await compileScript(
      "function invoke(data: any) { return data as object; }",
      "typescript",
    );
    expect(code).toContain("function invoke(data) { return data; }");
  });

  it.each([
    ["function invoke(data) { return data +; }", "script-syntax: expression expected: ;"],
    ["function invoke(data) {", "script-syntax: '}' expected: {"],
    ["", "script-entry: the script has no function invoke: "],
    [
      "const invoke = async (data) => data;",
      "script-entry: invoke is async, but a script cannot wait: invoke",
    ],
    [
      "function* invoke(data) { yield data; }",
      "script-entry: invoke is a generator, but gives one row or null: invoke",
    ],
    [`export ${sound}`, "script-forbidden: a script is not a module: export"],
    [`import fs from "fs";\n${sound}`, "script-forbidden: a script is not a module: import"],
    [`export default 1;\n${sound}`, "script-forbidden: a script is not a module: export"],
    [`const fs = import("fs");\n${sound}`, 'script-forbidden: a script cannot import anything: import("fs")'],
    [`const fs = require("fs");\n${sound}`, "script-forbidden: scripts have no require: require"],
    [`console.log(1);\n${sound}`, "script-forbidden: scripts have no console: console"],
    [`const f = fetch;\n${sound}`, "script-forbidden: scripts have no fetch: fetch"],
    [`setTimeout(() => 1, 1);\n${sound}`, "script-forbidden: scripts have no setTimeout: setTimeout"],
    [
      `const r = Math.random();\n${sound}`,
      "script-forbidden: Math.random gives another result each time: Math.random",
    ],
    [
      `const t = Date.now();\n${sound}`,
      "script-forbidden: Date.now gives another result each time: Date.now",
    ],
    [
      `const t = new Date;\n${sound}`,
      "script-forbidden: a date without arguments gives another result each time: new Date",
    ],
  ])("must not be %s", async (text, fault) => {
    expect(await faultsOf(text)).toEqual([fault]);
  });

  it("must not have types if it is JavaScript", async () => {
    expect(await faultsOf("function invoke(data: any) { return data; }", "javascript")).toEqual([
      "script-syntax: type annotations can only be used in TypeScript files: any",
    ]);
    expect(await faultsOf(sound, "javascript")).toEqual([]);
  });

  it("has a size limit", async () => {
    expect(await faultsOf(`${sound}${" ".repeat(200_000)}`)).toEqual([
      "script-forbidden: a script has at most 200000 characters: ",
    ]);
  });
});
