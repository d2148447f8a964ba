import { expect, it } from "vitest";
import { finalBlock } from "../../../src/runtime/chain/final-block.js";
import { useAnvil } from "../../support/chain/anvil.js";

const anvil = useAnvil();

it("the client finds the same final block as anvil by its tag, and one farther back by the distance", async () => {
  await anvil().mine(300);
  const chain = anvil().chain();
  const head = await chain.head();
  const tagged = (await anvil().rpc<{ number: string }>("eth_getBlockByNumber", "finalized", false)).number;
  expect((await finalBlock(anvil().client, head, "1"))?.number).toBe(Number(tagged));
  expect(await finalBlock(anvil().client, head, "250")).toMatchObject({
    number: head.number - 256,
    hash: (await chain.block(head.number - 256))?.hash,
  });
  expect((await finalBlock(anvil().client, head, "31337"))?.number).toBe(
    Math.min(Number(tagged), head.number - 256),
  );
});
