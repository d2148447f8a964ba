import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { event, fn } from "../../compiler/abi/entries.js";
import { everything } from "../../compiler/write/harness.js";
import { config, graphloom, sources, workplace } from "../harness.js";

const address = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const other = `0x${"0".repeat(38)}a1`;
const abi = JSON.stringify([
  event("Transfer", "indexed address from", "indexed address to", "uint256 value"),
  event("Approval", "indexed address owner", "address spender", "uint256 value"),
  fn("balanceOf", "view", ["address who"], ["uint256"]),
  fn("transfer", "nonpayable", ["address to", "uint256 value"], ["bool"]),
  fn("burn", "nonpayable", ["uint256 value"]),
]);
const contract = `--abi Token.json --contract ${address} --network mainnet`;
const init = `subgraph init pools/1.0.0 ${contract} --start-block 12`;
const tokenPlace = (): string => workplace({ "Token.json": abi });

function read(cwd: string, path: string): string {
  return readFileSync(join(cwd, path), "utf8");
}

/** The entity types in a project's schema, by name. */
function types(cwd: string, target = "pools"): string[] {
  return [...read(cwd, `${target}/schema.graphql`).matchAll(/^type (\w+)/gm)]
    .map(([, name = ""]) => name)
    .toSorted();
}

describe("a project generated from options", () => {
  it("is written with its configuration, and the output names the next command", async () => {
    const cwd = tokenPlace();
    const { code, out, err } = await graphloom(cwd, init);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(
      [
        "Wrote pools: 13 files written.",
        "  mainnet   1 data source",
        "  entities  2: Approval, Transfer",
        "  handlers  2 in 1 file under src/",
        "The configuration is pools/config/subgraph.json. After changing it, run in pools:",
        "  graphloom compile config/subgraph.json --out . --force",
        "",
      ].join("\n"),
    );
    const files = [...sources, "config/abis/Token.json", "config/subgraph.json"];
    expect(Object.keys(everything(join(cwd, "pools")))).toEqual(files.sort());
    expect(JSON.parse(read(cwd, "pools/config/subgraph.json"))).toEqual({
      version: "1",
      name: "pools/1.0.0",
      abis: { Token: { path: "./abis/Token.json" } },
      instances: [{ abi: "Token", address, startBlock: 12, chain: "mainnet" }],
    });
  });

  it("is what its configuration compiles to, byte for byte", async () => {
    const cwd = tokenPlace();
    expect(await graphloom(cwd, `${init} --contract-calls burn --build`)).toMatchObject({ code: 0 });
    const target = join(cwd, "pools");
    const before = everything(target);
    const compile = "compile config/subgraph.json --out . --build";
    expect(await graphloom(target, `${compile} --check`)).toMatchObject({ code: 0, err: "" });
    const again = await graphloom(target, `${compile} --force`);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining("Wrote .: 0 files written, ") });
    expect(again.out).not.toContain("removed");
    expect(everything(target)).toEqual(before);
  });

  it("is regenerated from its edited configuration, which init does not overwrite", async () => {
    const cwd = tokenPlace();
    await graphloom(cwd, init);
    const target = join(cwd, "pools");
    const changed = read(cwd, "pools/config/subgraph.json").replace(
      '"instances"',
      '"enableCallHandlers": true,\n  "instances"',
    );
    writeFileSync(join(target, "config/subgraph.json"), changed);
    const { code } = await graphloom(target, "compile config/subgraph.json --out . --force");
    expect([code, types(cwd)]).toEqual([0, ["Approval", "BurnCall", "Transfer", "TransferCall"]]);
    expect(read(cwd, "pools/config/subgraph.json")).toBe(changed);

    const refused = await graphloom(cwd, init);
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toMatch(
      /^pools contains \d+ files that would be overwritten:\n[\s\S]* {2}config\/subgraph.json\n/,
    );
    expect(read(cwd, "pools/config/subgraph.json")).toBe(changed);
  });

  it("starts at block 0 with a warning when no start block is given", async () => {
    const cwd = tokenPlace();
    const { code, err } = await graphloom(cwd, `subgraph init pools ${contract}`);
    expect([code, err]).toEqual([
      0,
      "warning: indexing starts at block 0, which takes a long time on most chains. Pass the block of the contract's creation: --start-block <number>\n",
    ]);
    expect(parse(read(cwd, "pools/subgraph.yaml")).dataSources[0].source.startBlock).toBe(0);
  });

  it("takes its paths from the working directory", async () => {
    const cwd = workplace({ "in/abis/Token.json": abi });
    const line = init.replace("Token.json", "abis/Token.json");
    expect(await graphloom(join(cwd, "in"), `${line} --target-path ../out`)).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, "out/config/subgraph.json"))).toBe(true);
  });

  it("leaves standard output to the JSON document", async () => {
    const { out, err } = await graphloom(tokenPlace(), `${init} --format json`);
    expect(JSON.parse(out)).toMatchObject({ version: 1, diagnostics: [] });
    expect(err).toContain("The configuration is pools/config/subgraph.json");
  });
});

describe("the selection of events and calls", () => {
  it.each<[string, readonly string[]]>([
    ["--contract-events Transfer", ["Transfer"]],
    ["--contract-events Approval(address,address,uint256),Transfer", ["Approval", "Transfer"]],
    ["--contract-calls burn", ["Approval", "BurnCall", "Transfer"]],
    ["--contract-events Transfer --contract-calls burn(uint256)", ["BurnCall", "Transfer"]],
    ["--call-handlers", ["Approval", "BurnCall", "Transfer", "TransferCall"]],
    ["--call-handlers --contract-events Approval", ["Approval", "BurnCall", "TransferCall"]],
  ])("gives the expected entity types: %s", async (options, want) => {
    const cwd = tokenPlace();
    expect(await graphloom(cwd, `${init} ${options}`)).toMatchObject({ code: 0, err: "" });
    expect(types(cwd)).toEqual(want);
    // Enrichments can be added later, and they may call view functions.
    expect(read(cwd, "pools/config/abis/Token.json")).toContain('"balanceOf"');
  });

  it("includes calls with --call-handlers and --from-config", async () => {
    const cwd = workplace({ "c.json": config({ abis: { Token: JSON.parse(abi) } }) });
    expect(await graphloom(cwd, "subgraph init --from-config c.json --call-handlers")).toMatchObject({
      code: 0,
    });
    expect(types(cwd)).toEqual(["Approval", "BurnCall", "Transfer", "TransferCall"]);
    expect(existsSync(join(cwd, "pools/config"))).toBe(false);
  });
});

describe("--description", () => {
  it.each([
    ["options", init],
    ["a configuration", "subgraph init --from-config c.json"],
  ])("is written to the manifests of a project from %s", async (_, line) => {
    const cwd = workplace({ "Token.json": abi, "c.json": config() });
    const { code } = await graphloom(cwd, `${line} --description pools:yes#1 --build`);
    expect(code).toBe(0);
    for (const path of ["pools/subgraph.yaml", "pools/build/subgraph.yaml"])
      expect(parse(read(cwd, path)).description).toBe("pools:yes#1");
  });

  it("is part of the command for the next run, because the configuration lacks it", async () => {
    const cwd = tokenPlace();
    const { out } = await graphloom(cwd, `${init} --description x`);
    expect(out).toContain(
      "\n  graphloom subgraph init --from-config config/subgraph.json --target-path . --description … --force\n",
    );
    const before = everything(join(cwd, "pools"));
    const again = "subgraph init --from-config config/subgraph.json --target-path . --description x --force";
    expect(await graphloom(join(cwd, "pools"), again)).toMatchObject({ code: 0 });
    expect(everything(join(cwd, "pools"))).toEqual(before);
  });

  it("accepts at most 500 characters", async () => {
    const cwd = tokenPlace();
    const long = await graphloom(cwd, `${init} --description ${"x".repeat(501)}`);
    expect([long.code, long.err]).toEqual([
      2,
      "--description has 501 characters, but at most 500 are allowed.\nSee graphloom subgraph init --help.\n",
    ]);
    expect(await graphloom(cwd, `${init} --description ${"x".repeat(500)}`)).toMatchObject({ code: 0 });
  });
});

describe("subgraph init", () => {
  it.each<[string, string]>([
    [
      "subgraph init pools",
      "Pass a configuration with --from-config <file>, or generate one with --abi, --contract and --network.\n",
    ],
    [
      "subgraph init pools --abi a.json",
      "--contract and --network are missing: without --from-config, pass --abi <file>, --contract <address> and --network <chain>.\n",
    ],
    ["subgraph init pools --contract 0x1 --network mainnet", "--abi is missing: without --from-config, pass"],
    ["subgraph init pools --start-block 1", "--abi and --contract and --network are missing: "],
    [
      `subgraph init ${contract}`,
      "Say where to write: pass a subgraph name, such as pools/1.0.0, or --target-path.\n",
    ],
    [`${init} --network mainnet,matic,xdai`, "Pass --network only once."],
    [
      init.replace("mainnet", "mainnet,matic"),
      "--network: it has 2 entries, but --contract has 1; give one, or one for each contract.\n",
    ],
    [
      `${init} --contract-events Transfr`,
      '--contract-events: no ABI has the event "Transfr"; write "Transfer".\n',
    ],
    [`${init} --contract-calls balanceOf`, '--contract-calls: "balanceOf" is a view function'],
    ...[
      "abi a.json",
      "contract 0x1",
      "network mainnet",
      "contract-name A",
      "start-block 1",
      "contract-events A",
      "contract-calls f",
    ].map((option): [string, string] => [
      `subgraph init --from-config c.json --${option}`,
      `--${option.split(" ")[0]} cannot be combined with --from-config: the configuration already says what to index.\n`,
    ]),
  ])("rejects a wrong command line: %s", async (line, message) => {
    const cwd = workplace({ "Token.json": abi, "c.json": config() });
    const { code, out, err } = await graphloom(cwd, line);
    expect([code, out]).toEqual([2, ""]);
    expect(err.startsWith(message), err).toBe(true);
    expect(readdirSync(cwd).sort()).toEqual(["Token.json", "c.json"]);
  });
});

describe("a mistake in a contract option", () => {
  it.each<[string, string]>([
    [
      init.replace(address, `0x12,${other}`),
      `error[wrong-value]: "address" must be "0x" and 40 hexadecimal digits, not "0x12"
 --> <options>:2:12
  |
2 | --contract 0x12,0x00000000000000000000000000000000000000a1
  |            ^^^^ it has 2 digits
  = hint: copy the whole address

1 error
`,
    ],
    [
      init.replace("Token.json", "Tokn.json"),
      `error[abi-missing]: the ABI file "Tokn.json" does not exist
 --> <options>:1:7
  |
1 | --abi Tokn.json
  |       ^^^^^^^^^ leads to Tokn.json
  = hint: write "./Token.json"

1 error
`,
    ],
  ])("is reported at its option, and nothing is written", async (line, printed) => {
    const cwd = tokenPlace();
    const { code, out, err, writing } = await graphloom(cwd, line);
    expect([code, out, writing]).toEqual([1, "", []]);
    expect(err).toBe(printed);
    expect(readdirSync(cwd)).toEqual(["Token.json"]);
  });

  it("is only a warning for an alias of a chain, without advice to fix a file", async () => {
    const cwd = tokenPlace();
    const { code, err } = await graphloom(cwd, init.replace("mainnet", "ethereum"));
    expect(code).toBe(0);
    expect(err).toMatch(
      /^warning\[unknown-chain\][\s\S]* --> <options>:3:11\n[\s\S]*= hint: write "mainnet"\n\n1 warning\n$/,
    );
  });
});

it("an ABI in place of a configuration is rejected with the command to create one", async () => {
  const { code, err } = await graphloom(tokenPlace(), "subgraph init pools --from-config Token.json");
  expect(code).toBe(1);
  expect(err).toContain(
    "= hint: create a configuration from this ABI: graphloom subgraph init <name> --abi Token.json --contract <address> --network <chain>\n",
  );
});

it("--help shows the options in groups, and both ways to start", async () => {
  const { out } = await graphloom(workplace(), "subgraph init --help");
  const headings = [...out.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual([
    "Positionals",
    "From a configuration",
    "From contracts (comma-separated lists, with one entry for all contracts or one for each)",
    "What to index (by default, all events)",
    "Output",
    "Deployment",
    "Global options",
    "Examples",
  ]);
  expect(out).toMatch(/Examples:[\s\S]*--from-config[\s\S]*--abi[\s\S]*--contract/);
});
