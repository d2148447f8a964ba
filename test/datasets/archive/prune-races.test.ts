import { expect, it } from "vitest";
import type { ArchiveFiles } from "../../../src/datasets/archive/archive-files.js";
import { ChainArchive } from "../../../src/datasets/archive/chain-archive.js";
import { keptChains } from "../../../src/datasets/archive/kept-chains.js";
import { carryOutPrune, planPrune } from "../../../src/datasets/archive/prune.js";
import { verifyChain } from "../../../src/datasets/archive/verify/verify-chain.js";
import { Actor } from "../../support/archive/actors.js";
import { address, hashOf, put } from "../../support/archive/made-chain.js";
import { MemoryArchiveFiles } from "../../support/archive/memory-files.js";

/** All orders of so many steps of two actors. */
function orders(one: number, other: number): readonly (readonly (0 | 1)[])[] {
  if (one + other === 0) return [[]];
  return [
    ...(one > 0 ? orders(one - 1, other).map((rest) => [0 as const, ...rest]) : []),
    ...(other > 0 ? orders(one, other - 1).map((rest) => [1 as const, ...rest]) : []),
  ];
}

const number = 3;

/** Writes what `put` has written before, as a process does that has not read the manifest since. */
async function write(files: ArchiveFiles): Promise<void> {
  const empty = new MemoryArchiveFiles();
  const { read, list } = empty;
  const archive = await ChainArchive.open({
    files: Object.assign(Object.create(files), { read: read.bind(empty), list: list.bind(empty) }),
    folder: "1",
    chainId: "1",
  });
  const hash = hashOf(`block ${number}`);
  await archive.addAnswer({ block: number, hash, question: `read ${hash} ${address} 0x`, answer: '"0x01"' });
  await archive.flush();
}

it("the archive keeps every listed file, in any order of steps of a prune and a writer of the same file", async () => {
  const filled = new MemoryArchiveFiles();
  await put(filled, { answers: [{ number }] });
  let writtenAgain = 0;
  for (const order of orders(5, 3)) {
    const files = filled.copy();
    const [chain] = (await keptChains(files)) ?? [];
    if (!chain) throw new Error("it has no chain");
    const plan = await planPrune(files, chain, { before: 100 }, 0);
    const [pruning, writing] = [new Actor(), new Actor()];
    const done = Promise.all([
      pruning.start(() => carryOutPrune(pruning.on(files), plan)),
      writing.start(() => write(writing.on(files))),
    ]);
    const actors = [pruning, writing] as const;
    for (const turn of order) await actors[turn].step();
    for (const actor of actors) while (await actor.step()) writtenAgain += 1;
    await done;
    const [after] = (await keptChains(files)) ?? [];
    const faults = after ? (await verifyChain(files, after)).faults : [];
    expect(faults, order.join("")).toEqual([]);
  }
  expect(writtenAgain).toBeGreaterThan(0);
});
