import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { event, fn } from "../../compiler/abi/entries.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { testFolder } from "../../support/folder.js";
import { atTerminal, hasTerminal, keys, type Move } from "../at-terminal.js";
import { graphloom } from "../harness.js";

const { enter, space, interrupt } = keys;
const address = "0x9C8fF314C9Bc7F6e59A9d9225Fb22946427eDC03";
const transfer = event("Transfer", "indexed address from", "indexed address to", "uint256 value");
const abi = [
  transfer,
  event("Paused", "address account"),
  fn("balanceOf", "view", ["address account"], ["uint256"]),
];

/** The configuration that a session wrote, after `graphloom check` accepted it. */
async function written(folder: string, file = "subgraph.json"): Promise<Record<string, unknown>> {
  expect(await graphloom(folder, `check ${file}`)).toMatchObject({ code: 0 });
  return JSON.parse(readFileSync(join(folder, file), "utf8"));
}

const schema = "./node_modules/graphloom/schemas/config-v1.schema.json";

describe.runIf(hasTerminal)("graphloom without a command, in a terminal", () => {
  const chain = useAnvil();
  let explorer: { url: string; asked: string[] };
  let token: string;
  let proxy: string;
  let created: number;
  const key = "a-very-secret-key";

  beforeAll(async () => {
    const path = createRequire(import.meta.url).resolve(
      "@openzeppelin/contracts/build/contracts/ERC1967Proxy.json",
    );
    const shipped = JSON.parse(readFileSync(path, "utf8")) as { abi: never; bytecode: string };
    const source =
      "contract Token { event Transfer(address indexed from, address indexed to, uint256 value); function balanceOf(address account) external view returns (uint256) { return account.balance; } }";
    const { bytecode, abi: compiled } = compileContract(source, "Token");
    token = (await chain().deploy([...compiled], bytecode)).address;
    await chain().mine(7);
    proxy = (await chain().deploy(shipped.abi, shipped.bytecode, [token, "0x"])).address;
    created = await chain().blockNumber();
    await chain().mine(7);
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      const is = request.url?.toLowerCase().includes(token);
      const entry = is ? { ABI: JSON.stringify(compiled), ContractName: "Token" } : { ABI: "no" };
      response.end(JSON.stringify({ status: "1", result: [entry] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    explorer = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, asked };
    afterAll(() => server.close());
  });

  it("writes a configuration in an empty folder from an address, a node and an explorer", async () => {
    const folder = testFolder();
    const env = { GRAPHLOOM_EXPLORER_URL: explorer.url, GRAPHLOOM_EXPLORER_KEY: key };
    const moves: Move[] = [
      ["Which network", `ours${enter}`],
      // The server at this address is not a node.
      ["JSON-RPC address", `${explorer.url}${enter}`],
      ["cannot be used", ""],
      ["JSON-RPC address", `${chain().url}${enter}`],
      ["Address of the contract", `0x${"12".repeat(20)}${enter}`],
      ["There is no contract", ""],
      ["Address of the contract", `${proxy}${enter}`],
      ["also read", `${space}${enter}`],
      ["Name of the subgraph", enter],
      ["Which file", enter],
    ];
    const { shown, code, moves: made } = await atTerminal([], moves, { cwd: folder, env });
    expect([code, made], shown).toEqual([0, moves.length]);
    expect(shown).toContain("no contracts built with Foundry or Hardhat");
    expect(shown).toContain(`It is a proxy (EIP-1967) that runs the code of ${token}`);
    expect(shown).toContain(`It was created in block ${created}.`);
    expect(shown).toContain("Wrote subgraph.json, abis/Token.json and AGENTS.md.");
    expect(shown).toContain(`graphloom dev subgraph.json --rpc ours=${chain().url}`);
    expect(shown).not.toContain(key);
    const queries = explorer.asked.filter((url) => url.includes("?"));
    expect(queries.every((url) => url.includes(`apikey=${key}`))).toBe(true);
    expect(queries.length).toBeGreaterThan(0);
    expect(await written(folder)).toEqual({
      $schema: schema,
      version: "1",
      name: "token/1.0.0",
      abis: { Token: { path: "./abis/Token.json" } },
      instances: [
        {
          abi: "Token",
          address: proxy,
          startBlock: created,
          chain: "ours",
          enrich: {
            handlers: {
              "Transfer(address,address,uint256)": {
                calls: { balanceOf: { name: "balanceOf", params: "event.params.to" } },
                entities: { Transfer: { "balanceOf uint256": "calls.balanceOf" } },
              },
            },
          },
        },
      ],
    });
  });

  it("writes a configuration for a contract that Foundry built, with the chosen events", async () => {
    const metadata = { settings: { compilationTarget: { "src/Vault.sol": "Vault" } } };
    const artifact = JSON.stringify({ abi, bytecode: { object: "0x60" }, metadata });
    const folder = testFolder({ "out/Vault.sol/Vault.json": artifact, "foundry.toml": "" });
    const moves: Move[] = [
      ["Which contract", enter],
      ["Which network", `mainnet${enter}`],
      ["JSON-RPC address", enter],
      ["Address of the contract", `0x12${enter}`],
      ["40 hexadecimal digits", `\u007f\u007f\u007f\u007f${address}${enter}`],
      ["From which block", `12985438${enter}`],
      // The second event is left out.
      ["Which events", `${keys.down}${space}${enter}`],
      ["also read", enter],
      ["Name of the subgraph", `vaults/2.0.0${enter}`],
      ["Which file", `config/vaults.json${enter}`],
    ];
    const { shown, code, moves: made } = await atTerminal([], moves, { cwd: folder });
    expect([code, made], shown).toEqual([0, moves.length]);
    expect(shown).toContain("Found contracts from Foundry: Vault.");
    expect(await written(folder, "config/vaults.json")).toEqual({
      $schema: schema,
      version: "1",
      name: "vaults/2.0.0",
      abis: { Vault: { path: "./abis/Vault.json" } },
      instances: [{ abi: "Vault", address, startBlock: 12985438, chain: "mainnet" }],
    });
    expect(JSON.parse(readFileSync(join(folder, "config/abis/Vault.json"), "utf8"))).toEqual([
      abi[0],
      abi[2],
    ]);
  });

  it("asks only for what a Hardhat deployment's records do not contain, also in subgraph init", async () => {
    const record = { address, abi, receipt: { blockNumber: 12985438 } };
    const built = { contractName: "Vault", sourceName: "contracts/Vault.sol", bytecode: "0x60", abi };
    const folder = testFolder({
      "artifacts/contracts/Vault.sol/Vault.json": JSON.stringify(built),
      "deployments/mainnet/.chainId": "1",
      "deployments/mainnet/Vault.json": JSON.stringify(record),
      "node_modules/graphloom/schemas/config-v1.schema.json": "{}",
    });
    const moves: Move[] = [
      ["Which contract", enter],
      ["JSON-RPC address", enter],
      ["Which events", enter],
      ["also read", enter],
      ["Name of the subgraph", enter],
      ["Which file", enter],
    ];
    const { shown, code, moves: made } = await atTerminal(["subgraph", "init"], moves, { cwd: folder });
    expect([code, made], shown).toEqual([0, moves.length]);
    expect(shown).not.toContain("npm install");
    expect(await written(folder)).toMatchObject({
      $schema: schema,
      abis: { Vault: { path: "./deployments/mainnet/Vault.json" } },
      instances: [{ abi: "Vault", address, startBlock: 12985438, chain: "mainnet" }],
    });
  });

  it("offers the proxy when its implementation was chosen", async () => {
    const run = {
      transactions: [
        { hash: "0x1", transactionType: "CREATE", contractName: "Vault", contractAddress: address },
        {
          hash: "0x2",
          transactionType: "CREATE",
          contractName: "ERC1967Proxy",
          contractAddress: token,
          arguments: [address, "0x"],
        },
      ],
      receipts: [{ transactionHash: "0x2", blockNumber: "0x10", logs: [] }],
    };
    const folder = testFolder({
      "out/Vault.sol/Vault.json": JSON.stringify({ abi, bytecode: { object: "0x60" } }),
      "broadcast/Deploy.s.sol/1/run-latest.json": JSON.stringify(run),
    });
    const moves: Move[] = [
      ["the proxy ERC1967Proxy", keys.down],
      ["the implementation behind", enter],
      ["JSON-RPC address", enter],
      ["Index the proxy", enter],
      ["Which events", enter],
      ["also read", enter],
      ["Name of the subgraph", enter],
      ["Which file", enter],
    ];
    const { shown, code, moves: made } = await atTerminal([], moves, { cwd: folder });
    expect([code, made], shown).toEqual([0, moves.length]);
    expect(await written(folder)).toMatchObject({
      abis: { Vault: { path: "./out/Vault.sol/Vault.json" } },
      instances: [{ abi: "Vault", address: token, startBlock: 16, chain: "mainnet" }],
    });
  });

  it("shows an existing configuration and does not overwrite it", async () => {
    const folder = testFolder({ "Token.json": JSON.stringify(abi) });
    const made = await graphloom(
      folder,
      `init --abi Token.json --contract ${address} --network mainnet --start-block 1`,
    );
    expect(made).toMatchObject({ code: 0 });
    const before = readFileSync(join(folder, "subgraph.json"), "utf8");
    const shownIt = await atTerminal([], [["Write a new", enter]], { cwd: folder });
    expect([shownIt.code, shownIt.moves], shownIt.shown).toEqual([0, 1]);
    expect(shownIt.shown).toContain("subgraph.json is valid: token/1.0.0");
    expect(shownIt.shown).toContain("graphloom dev subgraph.json --rpc mainnet=https://…");
    const words = ["init", "subgraph.json", "--abi", "Token.json", "--contract", address];
    const moves: Move[] = [
      ["JSON-RPC address", enter],
      ["Which events", enter],
      ["also read", enter],
      ["Name of the subgraph", enter],
      ["Overwrite it?", enter],
    ];
    const more = ["--network", "base", "--start-block", "2"];
    const kept = await atTerminal([...words, ...more], moves, { cwd: folder });
    expect([kept.code, kept.moves], kept.shown).toEqual([1, moves.length]);
    expect(readFileSync(join(folder, "subgraph.json"), "utf8")).toBe(before);
    writeFileSync(join(folder, "subgraph.json"), before.replace('"1"', "1"));
    const wrong = await atTerminal([], [["Write a new", enter]], { cwd: folder });
    expect(wrong.code).toBe(1);
    expect(wrong.shown).toContain("graphloom check subgraph.json --watch");
  });

  it("adds a contract to an existing configuration", async () => {
    const folder = testFolder({ "Token.json": JSON.stringify(abi) });
    const options = `--abi Token.json --contract ${address} --network mainnet --start-block 1`;
    expect(await graphloom(folder, `init ${options}`)).toMatchObject({ code: 0 });
    const text = readFileSync(join(folder, "subgraph.json"), "utf8");
    writeFileSync(join(folder, "subgraph.json"), `// mine\n${text}`);
    const second = `0x${"34".repeat(20)}`;
    const moves = (where: string): Move[] => [
      ["Add a contract to subgraph.json", `${keys.down}${enter}`],
      ["Which contract", enter],
      ["Which network", `mainnet${enter}`],
      ["JSON-RPC address", enter],
      ["Address of the contract", `${where}${enter}`],
      ["From which block", `7${enter}`],
      ["Which events", enter],
      ["also read", enter],
    ];
    const more = await atTerminal([], moves(second), { cwd: folder });
    expect([more.code, more.moves], more.shown).toEqual([0, 8]);
    expect(more.shown).toContain("Wrote subgraph.json.");
    expect(more.shown).toContain("2 data sources");
    const after = readFileSync(join(folder, "subgraph.json"), "utf8");
    expect(after.startsWith("// mine\n")).toBe(true);
    expect(JSON.parse(after.slice(8))).toMatchObject({
      name: "token/1.0.0",
      abis: { Token: { path: "./Token.json" } },
      instances: [
        { abi: "Token", address, startBlock: 1 },
        { abi: "Token", address: second, startBlock: 7, chain: "mainnet" },
      ],
    });
    // A contract that would not compile, such as one that the configuration already has, is not written.
    const again = await atTerminal([], moves(second), { cwd: folder });
    expect([again.code, again.moves], again.shown).toEqual([1, 8]);
    expect(again.shown).toContain(
      "Nothing was written: subgraph.json would not compile with the contract added.",
    );
    expect(readFileSync(join(folder, "subgraph.json"), "utf8")).toBe(after);
  });

  it("breaks no words in a narrow terminal, and keeps commands valid for a shell", async () => {
    const folder = testFolder({ "Token.json": JSON.stringify(abi) });
    const options = `--abi Token.json --contract ${address} --network mainnet --start-block 1`;
    expect(await graphloom(folder, `init ${options}`)).toMatchObject({ code: 0 });
    const { shown, code } = await atTerminal([], [["Write a new", enter]], { cwd: folder, columns: 40 });
    expect(code, shown).toBe(0);
    // On a busy machine, the compiler shows and rewrites a line with the elapsed time.
    const lines = shown
      .replaceAll(/compiling \S+: \d+ s/g, "")
      .split("\n")
      .filter((line) => !/[│◆◇●○└]/.test(line));
    const wide = lines.filter((line) => line.length > 40 && line.trim().includes(" "));
    expect(wide).toEqual([]);
    expect(shown).toContain("graphloom dev subgraph.json --rpc \\\n      mainnet=https://…");
  });

  it.each([
    "Which network",
    "Address of the contract",
    "Which file",
  ])("leaves no files behind after Ctrl-C at the question: %s", async (question) => {
    const folder = testFolder({ "Token.json": JSON.stringify(abi) });
    const all: Move[] = [
      ["Which contract", enter],
      ["Which network", `mainnet${enter}`],
      ["JSON-RPC address", enter],
      ["Address of the contract", `${address}${enter}`],
      ["From which block", `1${enter}`],
      ["Which events", `${keys.down}${space}${enter}`],
      ["also read", enter],
      ["Name of the subgraph", enter],
      ["Which file", enter],
    ];
    const moves = all.slice(
      0,
      all.findIndex(([seen]) => seen === question),
    );
    const ended = await atTerminal([], [...moves, [question, interrupt]], { cwd: folder });
    expect([ended.code, ended.moves], ended.shown).toEqual([130, moves.length + 1]);
    expect(readdirSync(folder)).toEqual(["Token.json"]);
    expect(existsSync(join(folder, "abis"))).toBe(false);
  });
});

it.skipIf(hasTerminal)(
  "the guide cannot be tested in a terminal: this machine has no /usr/bin/script",
  () => undefined,
);
