import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandPaths } from "../../src/cli/program.js";
import { meantCommands } from "../../src/cli/terminal/usage/meant-command.js";
import { config, graphloom, workplace } from "./harness.js";

describe("the help", () => {
  it.each([
    [
      "--help",
      [
        "graphloom <command>",
        "graphloom subgraph",
        "graphloom compile <config>",
        "Exit codes: 0 success",
        "130 interrupted",
        "141 the reader of the output has gone",
      ],
    ],
    ["-h", ["graphloom <command>"]],
    ["subgraph --help", ["graphloom subgraph <command>", "graphloom subgraph init [nameAndVersion]"]],
    ["subgraph init --help", ["--from-config", "--target-path", "--build", "--force", "<name>/<version>"]],
    [
      "compile --help",
      ["compile <config>", "--out", "--check", "--build", "--force", "--format", "- for standard input"],
    ],
    ["check --help", ["check [subgraph]", "--format", "--color", "standard input"]],
    ["explain --help", ["explain [code]"]],
  ])("contains the important parts, in at most 100 columns: %s", async (line, parts) => {
    const { code, out, err } = await graphloom(workplace(), line);
    expect([code, err]).toEqual([0, ""]);
    for (const part of parts) expect(out).toContain(part);
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  it.each([
    "check --help",
    "subgraph tag create --help",
    "init --help",
  ])("shows a command's own options before the global ones: %s", async (line) => {
    const { out } = await graphloom(workplace(), line);
    const headings = out.match(/^[A-Z].*:$/gm) ?? [];
    expect(headings.slice(-2)).toEqual(["Global options:", "Examples:"]);
    expect(headings.length).toBeGreaterThan(3);
  });

  it.each(["--version", "-v"])("is not shown with %s, which prints the version", async (line) => {
    expect(await graphloom(workplace(), line)).toMatchObject({ code: 0, out: "1.2.3\n", err: "" });
  });
});

describe("a version that is given to a command", () => {
  it.each(
    commandPaths.filter((path) => !/^(?:pipeline|stream|dataset)/.test(path)),
  )("is refused by %s, which has no such option", async (path) => {
    for (const version of ["--version 1.1.0", "--version=1.1.0", "--version"]) {
      const { code, out } = await graphloom(workplace(), `${path} ${version}`);
      expect([code, out]).toEqual([2, ""]);
    }
  });

  it("is refused without a command, too", async () => {
    for (const line of ["bogus --version 1", "--version 1", "--version=1", "1 --version"])
      expect(await graphloom(workplace(), line)).toMatchObject({ code: 2, out: "" });
  });
});

describe("the parser", () => {
  it.each([
    ["subgraph logs", "graphloom subgraph log?"],
    ["subgraph status a/1", "graphloom subgraph list <name>?"],
    ["subgraph get a/1", "graphloom subgraph list <name>?"],
    ["subgraph info a/1", "graphloom subgraph list <name>?"],
    ["subgraph create a", "graphloom subgraph deploy <name>/<version>?"],
    ["subgraph tag update a/1 --tag prod", "graphloom subgraph tag create?"],
    ["subgraph remove a/1", "graphloom subgraph delete?"],
    ["project get", "graphloom project list?"],
    ["pipeline logs a", "graphloom pipeline monitor?"],
    ["pipeline status a", "graphloom pipeline info?"],
    ["secret ls", "graphloom secret list?"],
    ["whoami", "graphloom project list?"],
    ["auth", "graphloom login?"],
  ])("leads from %s to the command of the same kind", async (line, meant) => {
    const { code, err } = await graphloom(workplace(), line);
    expect([code, err]).toEqual([2, expect.stringContaining(`Did you mean ${meant}`)]);
  });

  it.each([
    ["turbo --help", "stream --help"],
    ["turbo -V", "stream -V"],
    ["turbo aply x.yaml", "stream aply x.yaml"],
    ["mirror run", "pipeline run"],
    ["mirror apply absent.yaml --var a=1 --var b=2", "pipeline apply absent.yaml --var a=1 --var b=2"],
    ["--token x mirror validate absent.yaml", "--token x pipeline validate absent.yaml"],
  ])("takes %s as another name for %s", async (alias, line) => {
    const [called, usual] = [await graphloom(workplace(), alias), await graphloom(workplace(), line)];
    // Usage errors end with the words that were given.
    // The columns of the help are as wide as the words need.
    const named = (text: string): string =>
      text
        .replaceAll("graphloom mirror", "graphloom pipeline")
        .replaceAll("graphloom turbo", "graphloom stream")
        .replaceAll(/\s+/g, " ");
    expect([called.code, named(called.out), named(called.err)]).toEqual([
      usual.code,
      named(usual.out),
      named(usual.err),
    ]);
    expect(usual.out + usual.err).not.toBe("");
  });

  it("leads every usage error to a command that exists", () => {
    for (const command of meantCommands) {
      const words = command.replace(/^graphloom ?| ?<.*| ?--.*/g, "");
      expect(["", ...commandPaths]).toContain(words);
    }
  });

  it.each([
    ["", "No command given. Try: "],
    ["subgraph", "No command given. Try: "],
    ["compil x.json", 'graphloom has no command "compil". Did you mean graphloom compile?\n'],
    ["--token x compil x.json", 'graphloom has no command "compil". Did you mean graphloom compile?\n'],
    [
      "foo",
      'graphloom has no command "foo"; it has init, subgraph, project, secret, hosted-sink, pipeline, stream, dataset, data, codegen, build, compile, check, explain, docs, mcp, lsp, map, schema, diff, plan, run, test, dev, serve, compare, why, poi, doctor, dump, restore, archive, cache, external-data, login, logout, telemetry, completion.\n',
    ],
    ["foo --bar x", 'graphloom has no command "foo"; it has'],
    ["subgraph innit", 'graphloom subgraph has no command "innit". Did you mean graphloom subgraph init?\n'],
    ["archive lst", 'graphloom archive has no command "lst". Did you mean graphloom archive list?\n'],
    ["archive lst --foo --archive kept", 'graphloom archive has no command "lst". Did you mean'],
    [
      "external-data sync raw_logs --network anvil --rpc http://127.0.0.1:1",
      'graphloom external-data sync has no command "raw_logs". Did you mean graphloom external-data sync raw-logs?\n',
    ],
    [
      "external-data sync raw_logs",
      'graphloom external-data sync has no command "raw_logs". Did you mean graphloom external-data sync raw-logs?\n',
    ],
    [
      "external-data sync blocks --rpc http://127.0.0.1:1",
      'graphloom external-data sync has no command "blocks"; it has decoded-logs, raw-blocks, raw-logs, raw-transactions.\n',
    ],
    ["archive --foo", "Unknown argument: foo\n"],
    ["deploy pools/1.0.0", 'graphloom has no command "deploy". Did you mean graphloom subgraph deploy?\n'],
    ["log pools/1.0.0", 'graphloom has no command "log". Did you mean graphloom subgraph log?\n'],
    [
      "list",
      'graphloom has no command "list". Did you mean graphloom subgraph list, or graphloom project list, or graphloom secret list?\n',
    ],
    ["tag create a/1 --tag b", 'graphloom has no command "tag". Did you mean graphloom subgraph tag?\n'],
    [
      "create",
      'graphloom has no command "create". Did you mean graphloom project create, or graphloom secret create, or graphloom hosted-sink create?\n',
    ],
    [
      "list-entities",
      'graphloom has no command "list-entities". Did you mean graphloom subgraph webhook list-entities?\n',
    ],
    ["subgraph compile", 'graphloom subgraph has no command "compile". Did you mean graphloom compile?\n'],
    ["subgraph foo/1", 'graphloom subgraph has no command "foo/1"; it has init, deploy, list, delete, '],
    ["subgraph tag foo", 'graphloom subgraph tag has no command "foo"; it has create, delete.\n'],
    ["compile c.json -v", "Unknown argument: v\n"],
    ["subgraph -v", "No command given. Try: "],
    ["subgraph init", "Pass a configuration with --from-config <file>"],
    ["subgraph init --from-config", "--from-config needs a value."],
    [
      "subgraph init --from-config c.json --targetpath x",
      "Unknown argument: targetpath. Did you mean --target-path?\n",
    ],
    ["subgraph init a/1 b/2 --from-config c.json", "Unknown argument: b/2"],
    ["subgraph init 1pools --from-config c.json", '"1pools" is not a subgraph name'],
    ["subgraph init pools/ --from-config c.json", '"pools/" is not a subgraph name'],
    ["subgraph init pools/1/2 --from-config c.json", '"pools/1/2" is not a subgraph name'],
    ["subgraph init ../x --from-config c.json", '"../x" is not a subgraph name'],
    ["compile", "<config> is missing: graphloom compile <config>\n"],
    [
      "check",
      "Name a subgraph: graphloom check <file or folder>. This folder has neither subgraph.json nor subgraph.yaml.\n",
    ],
    ["run", "Name a subgraph: graphloom run <file or folder>."],
    ["diff", "<old> and <new> are missing: graphloom diff <old> <new>\n"],
    ["diff a", "<new> is missing: graphloom diff <old> <new>\n"],
    ["completion", "<shell> is missing: graphloom completion <shell>\n"],
    ["bogus", 'graphloom has no command "bogus"; it has init'],
    ["check c.json --format xml", "Invalid values"],
    ["check c.json --out x", "Unknown argument"],
    ["explain unknown-key unknown-abi", "Unknown argument: unknown-abi"],
    ["compile c.json d.json", "Unknown argument: d.json"],
    ["compile c.json --out", "--out needs a value."],
    ["compile c.json --outt=x", "Unknown argument: outt. Did you mean --out?\n"],
    ["compile c.json --no-cahe", "Unknown argument: cahe. Did you mean --no-cache?\n"],
    ["subgraph list --ouput json", "Unknown argument: ouput. Did you mean --output?\n"],
    ["check c.json --tokne x", "Unknown argument: tokne. Did you mean --token?\n"],
    ["compile c.json --zzzzzz", "Unknown argument: zzzzzz\n"],
    ["compile 1st.json", "Say where to write"],
    ["subgraph init --from-config 1st.json", "Say where to write"],
    // An option is given twice.
    ["compile c.json --out a --out b", "out"],
  ])("rejects a wrong command line with a short message: %s", async (line, message) => {
    const cwd = workplace({ "c.json": config(), "1st.json": config({ name: undefined }) });
    const { code, out, err } = await graphloom(cwd, line);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).not.toMatch(/\n +at /);
    // The error must not scroll away above a long help.
    expect(err.trimEnd().split("\n").length).toBeLessThanOrEqual(3);
    expect(readdirSync(cwd).sort()).toEqual(["1st.json", "c.json"]);
  });
});

it.each([
  ["compile c.json --out", "See graphloom compile --help."],
  ["subgraph tag foo", "See graphloom subgraph tag --help."],
  ["subgraph", "See graphloom subgraph --help."],
  ["", "See graphloom --help."],
  ["check - --watch", "See graphloom check --help."],
  ["explain foo", "See graphloom explain --help."],
  ["subgraph init", "See graphloom subgraph init --help."],
  ["subgraph delete pools --api-url http://127.0.0.1:1 --token x", "See graphloom subgraph delete --help."],
  ["subgraph tag create pools --tag x", "See graphloom subgraph tag create --help."],
])("a usage error ends with the command that shows the help: %s", async (line, way) => {
  const { err } = await graphloom(workplace(), line);
  expect(err.trimEnd().split("\n").at(-1)).toBe(way);
});

describe("an option value that looks like a number, a flag or a boolean", () => {
  it.each([
    ["--target-path 007", "007"],
    ["--target-path 1e3", "1e3"],
    ["--target-path=-x", "-x"],
    ["--target-path true", "true"],
  ])("is read as a string: %s", async (option, folder) => {
    const cwd = workplace({ "c.json": config() });
    const { code } = await graphloom(cwd, `subgraph init --from-config c.json ${option}`);
    expect(code).toBe(0);
    expect(readdirSync(cwd)).toContain(folder);
  });
});
