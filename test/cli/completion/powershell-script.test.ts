import { expect, it } from "vitest";
import { commands } from "../../../src/cli/commands.js";
import { completionTable } from "../../../src/cli/completion/completion-table.js";
import { powershellScript } from "../../../src/cli/completion/powershell-script.js";

/** The texts between single quotes, where two quotes stand for one. */
function stringsIn(script: string): readonly string[] {
  return [...script.matchAll(/'((?:[^'\n]|'')*)'/g)].map(([, text = ""]) => text.replaceAll("''", "'"));
}

it("the script for PowerShell offers every command, option and value of the program", async () => {
  const table = await completionTable(commands.map(({ shape }) => shape));
  const script = powershellScript(table);
  const words = new Set(stringsIn(script).map((text) => text.split("|")[0]));
  for (const { path, commands: below, options } of table) {
    expect(script).toContain(`\n    '${path}' {\n`);
    for (const { word } of below) expect(words).toContain(word);
    for (const { names, value } of options) {
      for (const name of names) expect(words).toContain(name);
      if (typeof value !== "string") for (const choice of value) expect(words).toContain(choice);
    }
  }
  expect(script).toMatch(/^Register-ArgumentCompleter -Native -CommandName 'graphloom', /m);
});

it("the script for PowerShell contains only ASCII, and no text can end its string or run", () => {
  const describe = "a ’quoted‘ 'word'… $(Get-Date) `n \"x\"";
  const option = { names: ["--abi"], describe, value: ["one", "it's"] } as const;
  const script = powershellScript([
    { path: "", commands: [{ word: "check", describe }], values: ["a,b"], options: [option] },
  ]);
  expect(script).toMatch(/^[\n -~]*$/);
  expect(stringsIn(script)).toContain("check|a quoted 'word'... $(Get-Date) `n \"x\"");
  // Outside of strings is no quotation mark, so that each string ends where it should.
  expect(script.replaceAll(/'(?:[^'\n]|'')*'/g, "")).not.toContain("'");
  expect(script).toContain("$choices = @('one')");
  expect(script).toContain("$commands = @('check|a quoted ''word''...");
});

it("the script for PowerShell has no switch without cases, which PowerShell refuses", () => {
  const help = { names: ["--help"], describe: "show help", value: "none" } as const;
  const script = powershellScript([{ path: "cache", commands: [], values: [], options: [help] }]);
  expect(script.match(/switch/g)).toHaveLength(1);
});
