import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../support/folder.js";
import { command } from "../process.js";

/** Whether this machine has a shell. */
function has(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

/** Writes the completion script for a shell to a file. @returns its path */
async function scriptFor(shell: string, folder: string): Promise<string> {
  const { code, out, err } = await command(["completion", shell]);
  expect([code, err]).toEqual([0, ""]);
  const path = join(folder, `graphloom.${shell}`);
  writeFileSync(path, out);
  return path;
}

describe.runIf(has("bash"))("completion in bash", () => {
  let script: string | undefined;

  /** What bash offers for a line whose last word is incomplete, in a folder with two files. */
  async function offered(words: readonly string[]): Promise<readonly string[]> {
    script ??= (await command(["completion", "bash"])).out;
    const folder = testFolder({ "subgraph.json": "{}", "two words.json": "{}" });
    const ask = `
      eval "$1"; shift
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _graphloom graphloom "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const said = execFileSync("bash", ["--norc", "-c", ask, "bash", script, "graphloom", ...words], {
      cwd: folder,
      encoding: "utf8",
    });
    return said.split("\n").filter(Boolean);
  }

  it.each([
    [["com"], ["compile", "compare", "completion"]],
    [["subgraph", "we"], ["webhook"]],
    [["explain", "unknown-k"], ["unknown-key"]],
    [
      ["subgraph", "webhook", "list"],
      ["list", "list-entities"],
    ],
    [["subgraph", "list", "--out"], ["--output"]],
    [
      ["subgraph", "list", "--output", ""],
      ["table", "lines", "json"],
    ],
    [["subgraph", "list", "--output", "=", "j"], ["json"]],
    [
      ["subgraph", "list", "--output", "="],
      ["table", "lines", "json"],
    ],
    [["--no-color", "subgraph", "tag", "c"], ["create"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish", "powershell"],
    ],
    [["cache", "cl"], ["clear"]],
    [["check", "--no-ca"], ["--no-cache"]],
    [["check", "sub"], ["subgraph.json"]],
    [["check", "two"], ["two words.json"]],
    [["init", "--abi", "sub"], ["subgraph.json"]],
    [["subgraph", "delete", "-"], expect.arrayContaining(["-f", "--force", "--help", "-h"])],
    [["nothing"], []],
  ])("bash completes %j", async (words, answers) => {
    expect([...(await offered(words))].sort()).toEqual(
      Array.isArray(answers) ? [...answers].sort() : answers,
    );
  });
});

it.skipIf(has("bash"))(
  "this machine cannot test completion in bash, which is not installed",
  () => undefined,
);

describe.runIf(has("zsh"))("completion in zsh", () => {
  it("zsh reads the script, and completes commands, options and values", async () => {
    const path = await scriptFor("zsh", testFolder());
    // Prints what the script would pass to the completion system.
    const ask = `
      compdef() { :; }; compset() { :; }
      _describe() { print -l -- "\${(@P)@[-1]}"; }; _files() { print files; }
      compadd() { shift; print -l -- "$@"; }
      source ${path}
      try() { words=(graphloom "$@"); CURRENT=$#words; _graphloom; }
      try subgraph tag c; try subgraph list --output ""; try check s; try subgraph delete -`;
    const said = execFileSync("zsh", ["-f", "-c", ask], { encoding: "utf8" });
    expect(said).toContain("create:");
    expect(said).toContain("\ntable\njson\nfiles\n");
    expect(said).toContain("--force:delete without asking");
  });
});

it.skipIf(has("zsh"))("this machine cannot test completion in zsh, which is not installed", () => undefined);

describe.runIf(has("fish"))("completion in fish", () => {
  it("fish reads the script, and completes commands, options, values and files", async () => {
    const folder = testFolder({ "subgraph.json": "{}" });
    const path = await scriptFor("fish", folder);
    const complete = (line: string): string =>
      execFileSync("fish", ["--no-config", "-c", `source ${path}; complete -C '${line}'`], {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, HOME: folder },
      });
    expect(complete("graphloom subgraph we")).toMatch(/^webhook\t/);
    expect(complete("graphloom subgraph list --output ")).toMatch(/^json\b[\s\S]*\btable\b/);
    expect(complete("graphloom subgraph delete --fo")).toMatch(/^--force\t/);
    expect(complete("graphloom check sub")).toContain("subgraph.json");
  });
});

it.skipIf(has("fish"))(
  "this machine cannot test completion in fish, which is not installed",
  () => undefined,
);

describe.runIf(has("pwsh"))("completion in PowerShell", () => {
  it("PowerShell reads the script, and completes commands, options, values and files", async () => {
    const folder = testFolder({ "subgraph.json": "{}" });
    const path = await scriptFor("powershell", folder);
    const complete = (line: string): readonly string[] => {
      const ask = `Get-Content -Raw '${path}' | Invoke-Expression
        $line = '${line}'
        [System.Management.Automation.CommandCompletion]::CompleteInput($line, $line.Length, $null).CompletionMatches |
          ForEach-Object { $_.CompletionText }`;
      const words = ["-NoProfile", "-NonInteractive", "-Command", ask];
      return execFileSync("pwsh", words, { cwd: folder, encoding: "utf8" }).split(/\r?\n/).filter(Boolean);
    };
    expect(complete("graphloom subgraph we")).toEqual(["webhook"]);
    expect(complete("graphloom subgraph list --output ")).toEqual(["table", "json"]);
    expect(complete("graphloom subgraph list --output=j")).toEqual(["--output=json"]);
    expect(complete("graphloom --no-color subgraph tag c")).toEqual(["create"]);
    expect(complete("graphloom subgraph delete --fo")).toEqual(["--force"]);
    expect(complete("graphloom check sub").join()).toContain("subgraph.json");
  });
});

it.skipIf(has("pwsh"))(
  "this machine cannot test completion in PowerShell, which is not installed",
  () => undefined,
);
