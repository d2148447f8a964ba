import { expect, it } from "vitest";
import { ActiveSources } from "../../../src/runtime/indexer/active-sources.js";
import { compileMapping } from "../../../src/runtime/wasm/compile-mapping.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { buildConfig } from "../harness.js";
import { factoryContract, tokenContract } from "../token-subgraph.js";

const factory = `0x${"a".repeat(40)}`;
const token = `0x${"b".repeat(40)}`;

it("the indexer computes the call filter again only when a source is added or dropped", async () => {
  const { files } = await buildConfig({
    enableCallHandlers: true,
    abis: { Factory: factoryContract.abi, Token: tokenContract.abi },
    instances: [
      { abi: "Factory", address: factory, startBlock: 0, chain: "mainnet" },
      {
        abi: "Token",
        source: { abi: "Factory", eventSignature: "Made(address,uint256)", addressParam: "token" },
      },
    ],
  });
  const own = [...files].flatMap(([path, content]) =>
    path.startsWith("build/") ? [[path.slice("build/".length), content] as const] : [],
  );
  const built = readRunnable({ manifest: "subgraph.yaml", files: new Map(own) });
  const sources = new ActiveSources(built, compileMapping);
  const addresses = (): readonly string[] => sources.callFilter.map(({ address }) => address);

  const first = sources.callFilter;
  expect(addresses()).toEqual([factory]);
  expect(sources.callFilter).toBe(first);

  const created = { template: "Token", address: token, creationBlock: 5 };
  sources.create(created);
  expect(addresses()).toEqual([factory, token]);
  const second = sources.callFilter;
  sources.create(created);
  expect(sources.callFilter).toBe(second);

  sources.dropCreatedAfter(5);
  expect(addresses()).toEqual([factory, token]);
  sources.dropCreatedAfter(4);
  expect(addresses()).toEqual([factory]);
});
