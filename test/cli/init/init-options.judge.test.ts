import { join } from "node:path";
import { expect, it } from "vitest";
import { event, fn } from "../../compiler/abi/entries.js";
import { judge } from "../../support/judge/judge.js";
import { graphloom, workplace } from "../harness.js";

const address = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const other = `0x${"0".repeat(38)}a1`;
const abi = JSON.stringify([
  event("Transfer", "indexed address from", "indexed address to", "uint256 value"),
  event("Approval", "indexed address owner", "address spender", "uint256 value"),
  fn("balanceOf", "view", ["address who"], ["uint256"]),
  fn("transfer", "nonpayable", ["address to", "uint256 value"], ["bool"]),
  fn("burn", "nonpayable", ["uint256 value"]),
]);

it("a project generated from options is accepted by the ecosystem's tools", async () => {
  const vault = JSON.stringify([event("Deposit", "uint256 amount")]);
  const cwd = workplace({ "Token.json": abi, "vault.json": vault });
  const line =
    `subgraph init --target-path out --abi Token.json,vault.json --contract ${address},${other} --start-block 1 ` +
    "--network mainnet,matic --call-handlers --description Tokens:#1";
  expect(await graphloom(cwd, line)).toMatchObject({ code: 0, err: "" });
  const { ok, output, manifests } = await judge(join(cwd, "out"), { build: "fast" });
  expect(ok, output).toBe(true);
  expect([...manifests.keys()]).toEqual(["subgraph.mainnet.yaml", "subgraph.matic.yaml"]);
});
