import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { event } from "../../compiler/abi/entries.js";
import { graphloom, workplace } from "../harness.js";

/** The files that the real tools have written. */
const records = new URL("../../support/hardhat/records.json", import.meta.url);
const { files } = JSON.parse(readFileSync(records, "utf8")) as { files: Record<string, unknown> };
const recorded = Object.fromEntries(
  Object.entries(files).map(([path, content]) => [
    path,
    Array.isArray(content) && path.endsWith(".jsonl")
      ? content.map((line) => `${JSON.stringify(line)}\n`).join("")
      : JSON.stringify(content),
  ]),
);
const artifact = (sourceName: string, contractName: string): string =>
  JSON.stringify({
    _format: "hh-sol-artifact-1",
    contractName,
    sourceName,
    bytecode: "0x60",
    abi: [event("Deposited", "address who", "uint256 amount")],
  });
const project = {
  ...recorded,
  "artifacts/contracts/Token.sol/Token.json": artifact("contracts/Token.sol", "Token"),
  "artifacts/contracts/Token.sol/Vault.json": artifact("contracts/Token.sol", "Vault"),
  "artifacts/contracts/Old.sol/VaultV1.json": artifact("contracts/Old.sol", "VaultV1"),
  "artifacts/contracts/Token.sol/VaultV2.json": artifact("contracts/Token.sol", "VaultV2"),
};

/** What the chain said: there was no code in the block before, and there was in this one. */
const created = [
  ["Token of hardhat-deploy", "0x5FbDB2315678afecb367f032d93F642f64180aa3", 21, "deployments/local/Token"],
  ["Vault of hardhat-deploy", "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512", 22, "deployments/local/Vault"],
  ["an upgraded proxy", "0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9", 24, "deployments/local/Proxied"],
  [
    "Token of Ignition",
    "0xB7f8BC63BbcaD18155201308C8f3540b07f84F5e",
    42,
    "ignition/deployments/chain-1/artifacts/App#Token",
  ],
  [
    "Vault of Ignition",
    "0xA51c1fc2f0D1a1b8494Ed1FE312d7C3a78Ed91C0",
    43,
    "ignition/deployments/chain-1/artifacts/App#Vault",
  ],
] as const;

it.each(created)("init takes a recorded address without asking: %s", async (_, address, block, abi) => {
  const cwd = workplace(project);
  const { code, err } = await graphloom(cwd, `init made.json --contract ${address} --network mainnet --yes`);
  expect(code, err).toBe(0);
  const { abis, instances } = JSON.parse(readFileSync(join(cwd, "made.json"), "utf8"));
  expect(Object.values(abis)).toEqual([{ path: `./${abi}.json` }]);
  expect(instances).toMatchObject([{ address, startBlock: block, chain: "mainnet" }]);
});

it("init names the whole addresses, and their option, when a name has several", async () => {
  const cwd = workplace(project);
  const { code, err } = await graphloom(cwd, "init made.json --contract-name Token --network mainnet --yes");
  expect(code).toBe(2);
  expect(err).toContain("Which contract? Pass --contract <address>.");
  for (const [, address] of [created[0], created[3]])
    expect(err).toContain(`"Token at ${address} on mainnet"`);
  expect(existsSync(join(cwd, "made.json"))).toBe(false);
});
