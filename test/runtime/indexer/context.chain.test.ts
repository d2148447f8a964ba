import { expect, it } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { buildConfig, runOn } from "../harness.js";
import { deployFactory, factoryContract } from "../token-subgraph.js";

const anvil = useAnvil();

it("a data source from the manifest reads its context in the manifest", async () => {
  const factory = await deployFactory(anvil());
  await anvil().send(factory, "make", [1]);
  const instance = { abi: "Factory", address: factory.address, startBlock: 0, chain: "mainnet" };
  const entities = { Note: { "text string": 'dataSource.context().getString("greeting")' } };
  const { files } = await buildConfig({
    abis: { Factory: factoryContract.abi },
    instances: [{ ...instance, enrich: { handlers: { Made: { entities } } } }],
  });
  const manifest = String(files.get("build/subgraph.yaml"));
  const network = "    network: mainnet\n";
  const withContext = manifest.replace(
    network,
    `${network}    context:\n      greeting: { type: String, data: "hello" }\n`,
  );
  expect(withContext).not.toBe(manifest);
  const ran = await runOn(anvil(), { files: new Map([...files, ["build/subgraph.yaml", withContext]]) });
  expect(ran.failure).toBeUndefined();
  expect((await ran.all("Note")).map(({ text }) => text)).toEqual(["hello"]);
});
