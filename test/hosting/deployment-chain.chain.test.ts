import { expect, it } from "vitest";
import { openDeploymentChain } from "../../src/hosting/embedded/deployment-chain.js";
import type { ChainIdentity } from "../../src/runtime/chain/chain-guard.js";
import { runOn } from "../runtime/harness.js";
import { buildTokens, deployFactory } from "../runtime/token-subgraph.js";
import { MemoryArchiveFiles } from "../support/archive/memory-files.js";
import { useAnvil } from "../support/chain/anvil.js";

const anvil = useAnvil(["--chain-id", "1"]);

it("a deployment that follows the head writes a segment of blocks every ten minutes, and at the end", async () => {
  const factory = await deployFactory(anvil());
  await anvil().mine(400);
  const files = new MemoryArchiveFiles();
  const built = await buildTokens(factory.address);
  let now = 0;
  let known: ChainIdentity | undefined;
  const chain = await openDeploymentChain({
    client: anvil().client,
    network: "mainnet",
    memory: {
      recall: async () => known,
      remember: async (identity) => {
        known = identity;
      },
    },
    files,
    log: { say: () => undefined },
    now: () => now,
  });
  const segments = async (): Promise<number> => (await files.list("1/blocks")).length;
  const counts: number[] = [];
  const waitForBlocks = async (): Promise<boolean> => {
    await chain.rest();
    counts.push(await segments());
    await anvil().mine(40);
    now += 200_000;
    return counts.length < 5;
  };
  await runOn(chain.chain, built, {
    waitForBlocks,
    ...(chain.archive && { archive: chain.archive }),
    checkChain: () => chain.check(),
  });
  expect(counts).toEqual([1, 1, 1, 2, 2]);
  await chain.end();
  expect(await segments()).toBe(3);
});

it("nodes of a different chain than the indexed one add nothing to an empty archive", async () => {
  const files = new MemoryArchiveFiles();
  const opening = openDeploymentChain({
    client: anvil().client,
    network: "mainnet",
    files,
    now: () => 0,
    memory: { recall: async () => ({ chainId: "137" }), remember: async () => undefined },
    log: { say: () => undefined },
  });
  await expect(opening).rejects.toThrow("This node serves chain 1, but the indexed data is from chain 137.");
  expect(files.content.size).toBe(0);
});

it("a node that does not report final blocks adds nothing to the archive, and the log says so once", async () => {
  const { client } = anvil();
  const files = new MemoryArchiveFiles();
  const lines: string[] = [];
  const chain = await openDeploymentChain({
    client: {
      request: async (method, parameters, options) =>
        parameters[0] === "finalized" ? null : client.request(method, parameters, options),
    },
    network: "mainnet",
    files,
    now: () => 0,
    memory: { recall: async () => undefined, remember: async () => undefined },
    log: { say: (level, line) => lines.push(`${level}: ${line}`) },
  });
  await anvil().mine(40);
  await chain.chain.head();
  await anvil().mine(40);
  await chain.chain.head();
  await chain.end();
  expect(lines).toEqual([
    expect.stringMatching(/^warn: Nothing is added to the archive: .* Use another node\.$/),
  ]);
  expect(await files.list("1/blocks")).toEqual([]);
});
