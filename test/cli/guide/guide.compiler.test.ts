import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { event, fn } from "../../compiler/abi/entries.js";
import { graphloom, workplace } from "../harness.js";

const address = "0x9C8fF314C9Bc7F6e59A9d9225Fb22946427eDC03";
const abi = JSON.stringify([
  event("Transfer", "address from", "address to", "uint256 value"),
  event("Paused", "address account"),
  fn("balanceOf", "view", ["address account"], ["uint256"]),
]);
const whole = `--abi Token.json --contract ${address} --network mainnet --start-block 5`;

describe("init without a terminal", () => {
  it("accepts every answer as an option", async () => {
    const cwd = workplace({ "Token.json": abi });
    const line = `init my.json ${whole} --contract-events Transfer --reads Transfer.balanceOf --name pools/2 --call-handlers`;
    const { code, out } = await graphloom(cwd, line);
    expect(code).toBe(0);
    expect(out).toContain("Wrote my.json, abis/Token.json and AGENTS.md.\nmy.json is valid: pools/2\n");
    expect(JSON.parse(readFileSync(join(cwd, "my.json"), "utf8"))).toMatchObject({
      name: "pools/2",
      abis: { Token: { path: "./abis/Token.json" } },
      instances: [
        {
          address,
          startBlock: 5,
          chain: "mainnet",
          enrich: { handlers: { "Transfer(address,address,uint256)": {} } },
        },
      ],
    });
    // Running it again keeps the ABI file; a different ABI gets a new name.
    expect(await graphloom(cwd, `${line} --force`)).toMatchObject({ code: 0 });
    expect(readdirSync(join(cwd, "abis"))).toEqual(["Token.json"]);
    writeFileSync(join(cwd, "abis/Token.json"), "[]");
    expect((await graphloom(cwd, `${line} --force`)).out).toContain("Wrote my.json and abis/Token2.json.");
    expect(readFileSync(join(cwd, "abis/Token.json"), "utf8")).toBe("[]");
  });

  it("writes a file for coding agents beside the configuration, and leaves an existing one alone", async () => {
    const cwd = workplace({ "Token.json": abi });
    expect(await graphloom(cwd, `init sub/my.json ${whole}`)).toMatchObject({
      code: 0,
      out: expect.stringContaining("Wrote sub/my.json and sub/AGENTS.md."),
    });
    const file = join(cwd, "sub/AGENTS.md");
    expect(readFileSync(file, "utf8")).toBe(readFileSync("templates/AGENTS.md", "utf8"));
    writeFileSync(file, "mine");
    expect((await graphloom(cwd, `init sub/my.json ${whole} --force`)).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  it("overwrites nothing without --force", async () => {
    const cwd = workplace({ "Token.json": abi, "subgraph.json": "mine" });
    const { code, err } = await graphloom(cwd, `init ${whole}`);
    expect([code, err]).toEqual([1, expect.stringContaining("subgraph.json already exists, so nothing")]);
    expect(readFileSync(join(cwd, "subgraph.json"), "utf8")).toBe("mine");
    expect(readdirSync(cwd).sort()).toEqual(["Token.json", "subgraph.json"]);
  });

  it.each([
    ["init", "Which network is the contract on? Pass --network <name>."],
    ["init --network mainnet", "Address of the contract on mainnet? Pass --contract <address>."],
    [`init --network mainnet --contract ${address}`, "Pass --abi <file>, or --explorer-url <address>"],
    [`init ${whole} --contract 0x12`, "--contract"],
    [`init --abi none.json --contract ${address}`, "--abi: the file none.json does not exist."],
    [`init --abi page.html --contract ${address}`, "--abi: the file page.html is a web page (HTML)."],
    [whole.replace("--start-block 5", "").replace(/^/, "init "), "Pass --start-block <number>."],
    [`init ${whole.replace("block 5", "block 5.5")}`, "--start-block"],
    [`init ${whole} --contract-events Nothing`, '--contract-events: no ABI has the event "Nothing"'],
    [`init ${whole} --reads Transfer.nothing`, "suggestions include Transfer.balanceOf"],
    [`init ${whole} --name 1/2/3`, "--name: write <name>/<version>"],
    [`init subgraph.yaml ${whole}`, "must end in .json"],
    [`init ${whole} --rpc key`, "--rpc: the address must start with http:// or https://"],
  ])("names the missing or invalid option, and writes nothing: %s", async (line, message) => {
    const cwd = workplace({ "Token.json.txt": abi, "page.html": "<!doctype html>" });
    if (line.includes("Token.json")) writeFileSync(join(cwd, "Token.json"), abi);
    const before = readdirSync(cwd).sort();
    const { code, out, err } = await graphloom(cwd, line);
    expect([code, out], err).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).toContain("See graphloom init --help.");
    expect(readdirSync(cwd).sort()).toEqual(before);
  });

  it("lists the contracts it found when the options fit several", async () => {
    const artifact = (name: string): string =>
      JSON.stringify({ contractName: name, sourceName: "contracts/a.sol", abi: JSON.parse(abi) });
    const cwd = workplace({
      "artifacts/contracts/a.sol/Pool.json": artifact("Pool"),
      "artifacts/contracts/a.sol/Vault.json": artifact("Vault"),
    });
    const options = `--contract ${address} --network mainnet --start-block 1`;
    const { code, err } = await graphloom(cwd, "init --network mainnet");
    expect([code, err]).toEqual([2, expect.stringContaining('Choices include "Pool", "Vault".')]);
    const named = await graphloom(cwd, `init --contract-name Vault ${options}`);
    expect(named.out).toContain("subgraph.json is valid: vault/1.0.0");
    const wrong = await graphloom(cwd, `init --contract-name Valt ${options}`);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("Found Pool, Vault.")]);
  });

  it.each([
    ["no entries", "[]"],
    ["nothing but functions", JSON.stringify([fn("balanceOf", "view", ["address account"], ["uint256"])])],
    ["only events without a topic", JSON.stringify([{ ...event("Hidden", "uint256 a"), anonymous: true }])],
  ])("does not write files for an ABI without events: %s", async (_, empty) => {
    const cwd = workplace({ "Token.json": empty });
    const { code, out, err } = await graphloom(cwd, `init ${whole} --yes`);
    expect([code, out, err]).toEqual([
      1,
      "",
      expect.stringContaining("Nothing was written: the ABI in Token.json has no events to index."),
    ]);
    expect(readdirSync(cwd)).toEqual(["Token.json"]);
  });

  it("writes a human-readable ABI in its JSON form", async () => {
    const readable = [
      "event Transfer(address indexed from, address indexed to, uint amount)",
      "event Placed(tuple(address maker, uint256[] ids) order)",
      "function balanceOf(address owner) view returns (uint256)",
    ];
    const cwd = workplace({ "Token.json": JSON.stringify(readable) });
    const { code, out, err } = await graphloom(cwd, `init ${whole} --yes`);
    expect([code, out], err).toEqual([
      0,
      expect.stringContaining("Wrote subgraph.json, abis/Token.json and AGENTS.md."),
    ]);
    const written = JSON.parse(readFileSync(join(cwd, "abis/Token.json"), "utf8"));
    expect(written).toMatchObject([
      {
        type: "event",
        name: "Transfer",
        inputs: [{ indexed: true, type: "address" }, {}, { name: "amount", type: "uint256" }],
      },
      { inputs: [{ type: "tuple", components: [{ name: "maker" }, { type: "uint256[]" }] }] },
      { type: "function", stateMutability: "view" },
    ]);
    writeFileSync(join(cwd, "Token.json"), JSON.stringify([...readable, "event Broken(addres"]));
    const broken = await graphloom(cwd, `init ${whole} --yes --force`);
    expect([broken.code, broken.err]).toEqual([
      2,
      expect.stringContaining('with an entry that cannot be read: "event Broken(addres"'),
    ]);
  });

  it("writes nothing when the configuration does not compile, and shows why", async () => {
    const cwd = workplace({ "Token.json": JSON.stringify([event("Called", "function callback")]) });
    const { code, out, err } = await graphloom(cwd, `init ${whole} --yes`);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("Nothing was written: subgraph.json would not compile.");
    expect(readdirSync(cwd)).toEqual(["Token.json"]);
  });

  it("exits with 3 when the node does not answer", async () => {
    const cwd = workplace({ "Token.json": abi });
    const closed = await closedPort();
    const { code, err } = await graphloom(cwd, `init ${whole} --rpc http://127.0.0.1:${closed}`);
    expect([code, err]).toEqual([3, expect.stringContaining("--rpc: ")]);
    expect(readdirSync(cwd)).toEqual(["Token.json"]);
  });

  it("writes a configuration for a contract that Hardhat Ignition deployed", async () => {
    const folder = "ignition/deployments/chain-1";
    const cwd = workplace({
      [`${folder}/deployed_addresses.json`]: JSON.stringify({ "Vaults#Vault": address }),
      [`${folder}/artifacts/Vaults#Vault.json`]: JSON.stringify({
        _format: "hh-sol-artifact-1",
        contractName: "Vault",
        sourceName: "contracts/Vault.sol",
        abi: JSON.parse(abi),
      }),
      [`${folder}/journal.jsonl`]: `${JSON.stringify({
        type: "TRANSACTION_CONFIRM",
        receipt: { blockNumber: 12985438, contractAddress: address, logs: [], status: "SUCCESS" },
      })}\n`,
    });
    const { code, out, err } = await graphloom(cwd, "init --yes");
    expect([code, out], err).toEqual([0, expect.stringContaining("subgraph.json is valid: vault/1.0.0")]);
    expect(JSON.parse(readFileSync(join(cwd, "subgraph.json"), "utf8"))).toMatchObject({
      abis: { Vault: { path: `./${folder}/artifacts/Vaults#Vault.json` } },
      instances: [{ address, startBlock: 12985438, chain: "mainnet" }],
    });
  });
});

/** A port that nothing listens on: it was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
