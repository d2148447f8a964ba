import { expect, it } from "vitest";
import { WaitingTeller } from "../../src/datasets/extract/waiting-text.js";

it("sources that wait for one block report it once, and once more when the chain reaches it", () => {
  const told: string[] = [];
  const teller = new WaitingTeller((text) => told.push(text));
  // The sources see the chain at different moments.
  teller.waits("mainnet", 105, { head: 5, final: undefined });
  teller.waits("mainnet", 105, { head: 42, final: undefined });
  teller.waits("mainnet", 105, { head: 105, final: 41 });
  teller.waits("mainnet", 105, { head: 60, final: undefined });
  teller.waits("mainnet", 105, { head: 110, final: 46 });
  teller.waits("base", 105, { head: 110, final: 46 });
  expect(told).toEqual([
    "mainnet: waiting for block 105. The head of the chain is block 5, and no block is final yet.",
    "mainnet: waiting until block 105 is final. The head of the chain is block 105, and block 41 is final.",
    "base: waiting until block 105 is final. The head of the chain is block 110, and block 46 is final.",
  ]);
});
