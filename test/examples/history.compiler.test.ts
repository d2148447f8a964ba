import { expect, it, onTestFinished } from "vitest";
import { chainOfName } from "../../src/chains/look-up-chain.js";
import { startHappeningChain } from "../support/chain/happening-chain.js";
import { exampleNames } from "../support/compiler/examples.js";
import { onEither } from "../support/database/databases.js";
import { compareHistories } from "./compared-histories.js";
import { compileExample, deployExample } from "./deployed-example.js";
import { onLocalChains } from "./local-chains.js";

const { fresh } = onEither();

const onMadeChains = exampleNames.filter((name) => !onLocalChains.includes(name));

it("every example is tested by one of the two tests of histories", () => {
  expect([...onMadeChains, ...onLocalChains].sort()).toEqual(exampleNames);
});

it.each(
  onMadeChains,
)("the history of each entity of the example %s matches its tables, and names the handlers and lines that wrote it", {
  timeout: 400_000,
}, async (name) => {
  const example = await compileExample(name);
  const nodes = new Map<string, string>();
  for (const [network, sources] of example.networks) {
    const chain = await startHappeningChain(sources, Number(chainOfName(network)?.chainId ?? 1));
    onTestFinished(() => chain.close());
    nodes.set(network, chain.url);
  }
  const deployed = await deployExample(example, await fresh(), nodes);
  const compared = await compareHistories(deployed, nodes);
  expect([...compared.values()].flat().length).toBeGreaterThan(0);
});
