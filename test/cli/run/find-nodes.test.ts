import { describe, expect, it } from "vitest";
import { findNodes } from "../../../src/cli/run/find-nodes.js";
import { UsageError } from "../../../src/cli/terminal/usage/usage-error.js";

const chains = ["mainnet", "arbitrum-one"];

function found(given: readonly string[], known = chains, env: Record<string, string> = {}): unknown {
  return Object.fromEntries(findNodes(given, known, env));
}

describe("the nodes of chains", () => {
  it("are given as <chain>=<url>, or as a bare URL for a single chain", () => {
    expect(found(["arbitrum-one=https://h/?key=a=b", "mainnet=http://h"])).toEqual({
      mainnet: "http://h",
      "arbitrum-one": "https://h/?key=a=b",
    });
    expect(found(["http://h/path?key=a"], ["mainnet"])).toEqual({ mainnet: "http://h/path?key=a" });
  });

  it("come from the environment when --rpc is absent", () => {
    const env = { GRAPHLOOM_RPC_ARBITRUM_ONE: "http://env", GRAPHLOOM_RPC_MAINNET: "" };
    expect(found([], chains, env)).toEqual({ "arbitrum-one": "http://env" });
    expect(found(["mainnet=http://h"], chains, env)).toEqual({ mainnet: "http://h" });
  });

  it.each([
    [
      ["http://h"],
      "Say which chain the node serves: --rpc <chain>=<url>. Chains in the configuration: mainnet, arbitrum-one",
    ],
    [["base=http://h"], '--rpc: unknown chain "base". Chains in the configuration: mainnet, arbitrum-one'],
    [["mainnet=http://a", "mainnet=http://b"], "--rpc is given twice for mainnet."],
    [["mainnet=h/secret"], "--rpc: the address for mainnet must start with http:// or https://"],
    [["mainnet=ws://secret"], "--rpc: the address for mainnet must start with http:// or https://"],
    [
      [],
      "No node to index from. Pass --rpc mainnet=<url>, or set GRAPHLOOM_RPC_MAINNET. Chains in the configuration: mainnet, arbitrum-one",
    ],
  ])("are rejected with an explanation: %j", (given, message) => {
    expect(() => found(given)).toThrow(new UsageError(message));
  });

  it("are rejected when the environment variable is invalid", () => {
    expect(() => found([], chains, { GRAPHLOOM_RPC_MAINNET: "secret" })).toThrow(
      new UsageError("GRAPHLOOM_RPC_MAINNET must start with http:// or https://"),
    );
  });
});

it("--rpc takes the name of a chain from any vocabulary", () => {
  const node = "http://localhost:8545";
  for (const name of ["ethereum", "mainnet", "evm-1", "1"])
    expect([...findNodes([`${name}=${node}`], ["mainnet"], {})]).toEqual([["mainnet", node]]);
  expect([...findNodes([`polygon=${node}`], ["mainnet", "matic"], {})]).toEqual([["matic", node]]);
  for (const name of ["base", "nowhere"])
    expect(() => findNodes([`${name}=${node}`], ["mainnet"], {})).toThrow(`--rpc: unknown chain "${name}"`);
  expect(() => findNodes([`ethereum=${node}`, `mainnet=${node}`], ["mainnet"], {})).toThrow("given twice");
});
