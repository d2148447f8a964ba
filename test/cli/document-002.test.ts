import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { globalOptions } from "../../src/cli/terminal/usage/options.js";
import { definedCommands, definedOption } from "./defined-commands.js";
import {
  type DocumentedCommand,
  type DocumentedOption,
  documentedCommands,
  documentedGlobals,
} from "./documented-commands.js";
import { graphloom, workplace } from "./harness.js";

/*
 * Compares the defined commands with document 002 of the specification, line by line. Each departure has a reason, and
 * one that no longer exists must be deleted here.
 */
const json = "programs can read lists and results as one JSON document";
const ownServers = "users can also deploy to their own graph-node and IPFS";
const compiling = "it compiles on this machine; the document assumes finished builds";
const confirmed = "irreversible changes ask for confirmation, which scripts can skip";
const plainOff = "an absent flag is off; the document leaves this open";

/** Files come from the user's own node, archive or server; the document's come from a service that has them ready. */
const ownReading = "it reads a node, an archive or a server, so it needs to know which, and how";
const externalData = Object.fromEntries(
  ["decoded-logs", "raw-blocks", "raw-logs", "raw-transactions"].flatMap((kind) =>
    [
      "archive",
      "blocks-per-file",
      "from-block",
      "offline",
      "out",
      "max-requests",
      "patience",
      "requests-per-second",
      "rpc",
      "server",
      "to-block",
      "verify",
      ...(kind === "decoded-logs" ? ["abi", "source"] : []),
      ...(kind === "raw-logs" ? ["source"] : []),
    ].map((option) => [`external-data sync ${kind} --${option}: ours alone`, ownReading]),
  ),
);

const departures: Readonly<Record<string, string>> = {
  "every command --api-url: ours alone": "people run their own servers, so there is more than one",
  'every command --token: default is undefined, not ""': "an empty token and an absent one mean the same",
  "every command --verbose: ours alone": "users can see the requests to find a problem",

  "every command --project: ours alone": "a single command can use a different project",
  "project use: ours alone": "people in several projects select one once",
  "project leave --force: ours alone": confirmed,
  "project users remove --force: ours alone": confirmed,
  "project users invite --role: isRequired is undefined, not true": "it has a default, so it is optional",
  "project create --output: ours alone": json,
  "project list --output: ours alone": json,
  "project users invite --output: ours alone": json,
  "project users list --output: ours alone": json,

  "hosted-sink create --output: ours alone": json,
  "hosted-sink delete: ours alone": "a database that nobody needs any more must go, too",
  "external-data verify: ours alone": "users can see what was proved of files that they have",
  "secret create --output: ours alone": json,
  "secret list --output: ours alone": json,
  "secret reveal --output: ours alone": json,
  "subgraph deploy --output: ours alone": json,
  "subgraph init --output: ours alone": json,
  "subgraph list --output: ours alone": json,
  "subgraph tag create --output: ours alone": json,
  "subgraph webhook create --output: ours alone": json,
  "subgraph webhook list --output: ours alone": json,
  "subgraph webhook list-entities --output: ours alone": json,
  "telemetry status --output: ours alone": json,

  "subgraph deploy --from-token: ours alone": "a subgraph moves from one server of graphloom to another",
  "subgraph rewind: ours alone": "a deployment can go back to a block and index from there again",
  "subgraph deploy --graph-node-status: ours alone": ownServers,
  "subgraph deploy --graph-node: ours alone": ownServers,
  "subgraph deploy --ipfs: ours alone": ownServers,
  "subgraph init --graph-node-status: ours alone": ownServers,
  "subgraph init --graph-node: ours alone": ownServers,
  "subgraph init --ipfs: ours alone": ownServers,

  "subgraph deploy --cache: ours alone": compiling,
  "subgraph deploy --format: ours alone": compiling,
  "subgraph deploy --optimize: ours alone": compiling,
  "subgraph init --cache: ours alone": compiling,
  "subgraph init --format: ours alone": compiling,
  "subgraph init --optimize: ours alone": compiling,

  'subgraph deploy: takes "<nameAndVersion> [subgraph]"':
    "one word names a subgraph in every form, as for other commands",
  "subgraph deploy --network: ours alone":
    "a hand-written subgraph is built for a network of its networks.json",
  "subgraph deploy --network-file: ours alone":
    "a hand-written subgraph is built for a network of its networks.json",
  "subgraph deploy --private: ours alone": "a private subgraph must never be public, not even briefly",
  "subgraph init --private: ours alone": "with --deploy it deploys, as subgraph deploy does",
  "subgraph deploy --skip-deployed: ours alone": "an interrupted deployment of several chains can continue",
  "subgraph deploy --wait: ours alone": "scripts can continue once the subgraph answers queries",
  "subgraph init --skip-deployed: ours alone": "with --deploy it deploys, as subgraph deploy does",
  "subgraph init --tag: ours alone": "with --deploy it deploys, as subgraph deploy does",
  "subgraph init --wait: ours alone": "with --deploy it deploys, as subgraph deploy does",
  "subgraph init --build: default is false, not undefined": plainOff,
  "subgraph init --call-handlers: default is false, not undefined": plainOff,
  "subgraph init --deploy: default is false, not undefined": plainOff,
  "subgraph log --follow: ours alone": "users can print the log once instead of following it",
  "subgraph webhook create --from-start: ours alone": "a webhook can start with existing entities",

  ...externalData,

  ...Object.fromEntries(
    [
      "adopt",
      "cancel-task",
      "parked drop",
      "parked list",
      "parked retry",
      "repair",
      "replay",
      "run",
      "test",
      "verify",
    ].map((command) => [
      `pipeline ${command}: ours alone`,
      "pipelines also run, and are proved, without a server",
    ]),
  ),
  ...Object.fromEntries(
    ["data", "database", "engine", "format", "integers", "var"].map((option) => [
      `pipeline export --${option}: ours alone`,
      "definition files can also be printed for another engine, without a server",
    ]),
  ),
  ...Object.fromEntries(
    ["data", "database", "format", "var"].map((option) => [
      `pipeline validate --${option}: ours alone`,
      "definitions are also checked without a server",
    ]),
  ),
  ...Object.fromEntries(
    ["pipeline apply", "pipeline create", "pipeline update", "stream apply", "stream validate"].map(
      (command) => [`${command} --var: ours alone`, "one file serves several chains"],
    ),
  ),
  ...Object.fromEntries(
    ["engine", "integers"].map((option) => [
      `pipeline apply --${option}: ours alone`,
      "Flink runs queries that graphloom's own runner does not",
    ]),
  ),
  ...Object.fromEntries(
    [
      "pipeline apply --reset",
      "pipeline apply --recreate",
      "stream apply --reset",
      "stream apply --recreate",
    ].map((option) => [
      `${option}: ours alone`,
      "what a changed definition empties is chosen, and shown before",
    ]),
  ),
  "stream apply --force: ours alone": confirmed,
  ...Object.fromEntries(
    ["create", "update"].map((command) => [
      `pipeline ${command} --resource-size: choices is ["xs","s","m","l","xl","xxl","mem.l","mem.xl","mem.xxl"], not ["s","m","l","xl","xxl","mem.l","mem.xl","mem.xxl"]`,
      "streams can also have the size xs",
    ]),
  ),
  ...Object.fromEntries(
    ["apply", "start"].map((command) => [
      `pipeline ${command} --from-snapshot: default is undefined, not "new"`,
      "an absent option and new mean the same",
    ]),
  ),
  "pipeline create --use-dedicated-ip: isRequired is undefined, not true":
    "it has a default, so it is optional",
  ...Object.fromEntries(
    ["delete", "get", "logs", "state"].map((command) => [
      `stream ${command}: takes "<nameOrConfigPath>"`,
      "the file that was applied names the stream, too",
    ]),
  ),
  'stream pause: takes "[nameOrConfigPath]"': "the file that was applied names the stream, too",
  "stream pause --file: ours alone": "scripts pass the file of a stream with -f",
  ...Object.fromEntries(
    ["inspect", "skip-validation"].map((option) => [
      `stream apply --${option}: ours alone`,
      "scripts pass it to the tool that the document describes",
    ]),
  ),
  "pipeline snapshots list --output: ours alone": json,
  "stream delete --force: ours alone": confirmed,
  "stream get --output: ours alone": json,
  "stream list --output: ours alone": json,
  "stream state --output: ours alone": json,
  "stream logs --follow: ours alone": "users can print the log once instead of following it",
  "stream logs --tail: ours alone": "users choose how much of the past they see",
  "stream logs --since: ours alone": "users choose how much of the past they see",
  "stream logs --timestamps: ours alone": "lines can be put beside those of other logs",
  "stream restart: ours alone": "scripts restart streams, as they restart pipelines",
  "stream resume: ours alone": "a stream that was paused must also be started again",
  "stream validate --format: ours alone": "build systems can read mistakes",

  "telemetry enable --url: ours alone": "events are only sent to an address that the user gives",
};

type Options = Readonly<Record<string, DocumentedOption>>;

function differences(documented: Options, defined: Options, path: string): readonly string[] {
  const names = [...new Set([...Object.keys(documented), ...Object.keys(defined)])];
  return names.flatMap((name) => {
    const [theirs, ours] = [documented[name], defined[name]];
    const place = `${path} --${name}`;
    if (!theirs) return [`${place}: ours alone`];
    if (!ours) return [`${place}: missing`];
    const aspects = [
      ...new Set([...Object.keys(theirs), ...Object.keys(ours)]),
    ] as (keyof DocumentedOption)[];
    return aspects.flatMap((aspect) =>
      isAsDocumented(theirs[aspect], ours[aspect])
        ? []
        : [`${place}: ${aspect} is ${JSON.stringify(ours[aspect])}, not ${JSON.stringify(theirs[aspect])}`],
    );
  });
}

function isAsDocumented(documented: unknown, defined: unknown): boolean {
  const isAny = typeof documented === "object" && documented !== null && Object.hasOwn(documented, "some");
  return isAny ? typeof defined === "string" && defined !== "" : isDeepStrictEqual(documented, defined);
}

describe("document 002", () => {
  const defined = definedCommands(commands);
  const groups = [
    "login",
    "logout",
    "subgraph",
    "project",
    "pipeline",
    "stream",
    "dataset",
    "secret",
    "hosted-sink",
    "telemetry",
    "external-data",
  ];
  const ours = [...defined.keys()].filter((path) => groups.includes(path.split(" ")[0] ?? ""));

  it("matches our commands, except for the listed departures", () => {
    const none: DocumentedCommand = { arguments: "", options: {} };
    const paths = [...new Set([...Object.keys(documentedCommands), ...ours])];
    const found = paths.flatMap((path) => {
      const [theirs, own = none] = [documentedCommands[path], defined.get(path)];
      if (!theirs) return [`${path}: ours alone`];
      if (!defined.has(path)) return [`${path}: missing`];
      const words = theirs.arguments === own.arguments ? [] : [`${path}: takes "${own.arguments}"`];
      return [...words, ...differences(theirs.options, own.options, path)];
    });
    const globals = Object.fromEntries(
      Object.entries(globalOptions).map(([name, option]) => [name, definedOption(option)]),
    );
    expect([...found, ...differences(documentedGlobals, globals, "every command")].sort()).toEqual(
      Object.keys(departures).sort(),
    );
  });

  it("gives a reason for each departure", () => {
    for (const [what, why] of Object.entries(departures))
      expect([what, why]).toEqual([what, expect.stringMatching(/\w{3,} \w+/)]);
  });

  it.each(["--version", "-v", "stream --version", "stream -V"])("%s prints the version", async (line) => {
    expect(await graphloom(workplace(), line)).toMatchObject({ code: 0, out: "1.2.3\n" });
  });

  it.each(ours.flatMap((path) => [`${path} -h`, `${path} --help`]))("prints the help: %s", async (line) => {
    const { code, out } = await graphloom(workplace(), line);
    expect([code, out.split("\n")[0]]).toEqual([
      0,
      expect.stringContaining(`graphloom ${line.replace(/ -.*/, "")}`),
    ]);
  });
});
