import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { startIpfsDouble } from "../../support/network/ipfs-double.js";
import { graphloom, workplace } from "../harness.js";
import { counterConfig, deployCounter } from "./chains.js";

const anvil = useAnvil();
let counter: Contract;
beforeAll(async () => {
  counter = await deployCounter(anvil());
  await anvil().send(counter, "count", [2]);
});

describe("a handler that reads a file from IPFS", () => {
  const config = (hash: string) => ({
    "c.json": counterConfig({ mainnet: counter }, `BigInt.fromString(ipfs.cat("${hash}")!.toString())`),
  });

  it("reads it from the gateway given with --ipfs, and fails without one", async () => {
    const double = await startIpfsDouble();
    onTestFinished(() => double.stop());
    const cwd = workplace(config(await double.put("4711")));
    const run = `run c.json --rpc ${anvil().url} --output json`;
    const { code, out } = await graphloom(cwd, `${run} --ipfs ${double.url}`);
    expect(code).toBe(0);
    expect(out).toContain('"4711"');
    const { code: alone, err } = await graphloom(cwd, run);
    expect(alone).toBe(3);
    expect(err).toContain("mainnet: The mappings read files from IPFS, but no IPFS gateway is set");
    expect(err).toContain("Pass one with --ipfs <address>");
  });

  it("requires a web address as its gateway", async () => {
    const { code, err } = await graphloom(
      workplace(config("Qm")),
      `run c.json --rpc ${anvil().url} --ipfs Qm`,
    );
    expect(code).toBe(2);
    expect(err).toContain("--ipfs must start with http:// or https://");
  });
});
