import { expect, it } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { blocksOfNode } from "../../support/portal/blocks-of-node.js";
import { startPortal } from "../../support/portal/played-portal.js";
import { until } from "../../support/until.js";
import { workplace } from "../harness.js";
import { counterConfig, deployCounter } from "../run/chains.js";
import { startDev } from "./started-dev.js";

const anvil = useAnvil(["--chain-id", "1"]);

it("dev --source indexes old blocks from a source, and new ones from the node", async () => {
  const counter = await deployCounter(anvil());
  for (const number of [1, 2, 3]) await anvil().send(counter, "count", [number]);
  await anvil().mine(300);
  const tip = await blocksOfNode(anvil().client, await anvil().blockNumber());
  const { portal, url } = await startPortal(tip, { kind: "hypersync" });
  const cwd = workplace({ "c.json": counterConfig({ mainnet: counter }, "event.params.number") });
  const dev = await startDev(cwd, `c.json --rpc ${anvil().url} --source mainnet=hypersync=${url} --port 0`);
  const values = async (): Promise<string> => {
    const { notes } = await dev.firstAnswer("{ notes(orderBy: value) { value } }");
    return (notes as readonly { readonly value: string }[]).map(({ value }) => value).join();
  };
  await until(async () => (await values()) === "1,2,3");
  const asked = portal.asked.flatMap(({ logs }) => logs.flatMap(({ address = [] }) => address));
  expect(asked).toContain(counter.address);
  await anvil().send(counter, "count", [4]);
  await until(async () => (await values()) === "1,2,3,4");
});
