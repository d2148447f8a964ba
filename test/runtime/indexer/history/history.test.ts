import { expect, it } from "vitest";
import type { Block } from "../../../../src/runtime/chain/chain.js";
import { createPatience } from "../../../../src/runtime/chain/rpc/patience.js";
import { createRpcClient } from "../../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../../../src/runtime/chain/rpc-chain.js";
import { History } from "../../../../src/runtime/indexer/history/history.js";
import type { HistorySource } from "../../../../src/runtime/indexer/history/history-source.js";
import { Verification } from "../../../../src/runtime/indexer/logs/verification.js";
import { emptyChain } from "../../../support/chain/empty-chain.js";
import { realWorld } from "../../../support/worlds.js";

const filter = [{ addresses: [], topics: undefined }];

/** A history of the blocks of an empty chain. */
function historyOf(refused: string[]): History {
  const world = { ...realWorld, fetch: emptyChain(100) };
  const chain = createRpcChain(createRpcClient("http://node.example", world));
  const source: HistorySource = {
    name: "portal=https://portal.example",
    reach: async () => 100,
    blocks: async ({ from }) => [{ block: (await chain.block(from)) as Block, logs: [] }],
    refuse: (why) => refused.push(why),
    forget: () => undefined,
  };
  return new History(source, chain, createPatience({}), { hasArchive: false, random: () => 0.5 });
}

it("reorganisations at the head do not count against a source", () => {
  const refused: string[] = [];
  const history = historyOf(refused);
  for (let times = 0; times < 10; times++) history.forget();
  expect(refused).toEqual([]);
});

it("a source is refused if the run goes back three times after ranges that it returned", async () => {
  const refused: string[] = [];
  const history = historyOf(refused);
  const verification = new Verification("off", {});
  for (let times = 0; times < 3; times++) {
    expect(refused).toEqual([]);
    expect(await history.logs({ from: 5, to: 5 }, filter, verification)).toMatchObject({ logs: [] });
    history.forget();
    history.forget();
  }
  expect(refused).toEqual(["its blocks and those of the node did not fit together several times"]);
});
