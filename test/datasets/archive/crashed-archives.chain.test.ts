import { describe, expect, it } from "vitest";
import { keptChains } from "../../../src/datasets/archive/kept-chains.js";
import { carryOutPrune, planPrune } from "../../../src/datasets/archive/prune.js";
import { verifyChain } from "../../../src/datasets/archive/verify/verify-chain.js";
import { runOn } from "../../runtime/harness.js";
import { type ArchivedRun, busyChain, entitiesOf, runArchived } from "../../support/archive/archived-run.js";
import { FailingArchiveFiles, type Failure } from "../../support/archive/failing-files.js";
import { MemoryArchiveFiles } from "../../support/archive/memory-files.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { propertySeed } from "../../support/property/property-run.js";

const anvil = useAnvil(["--chain-id", "1"]);

/** Every sixth operation fails, in `npm run campaign:kills` each of them. */
const stride = process.env.GRAPHLOOM_KILLS === undefined ? 6 : 1;
const first = propertySeed % stride;

/** What is wrong with an archive, and what is left in it once it was pruned. */
async function troubles(files: MemoryArchiveFiles): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const chain of (await keptChains(files)) ?? []) {
    found.push(...(await verifyChain(files, chain)).faults);
    await carryOutPrune(files, await planPrune(files, chain, {}, Date.now()));
  }
  for (const chain of (await keptChains(files)) ?? []) {
    const { faults, notes } = await verifyChain(files, chain);
    // A line that was torn stays.
    found.push(...faults, ...notes.filter(({ file }) => !file.endsWith("/manifest.jsonl")));
  }
  return found;
}

describe.each<Failure>(["throws", "throws once", "crashes"])("an archive whose files fail: %s", (failure) => {
  it("INV-D2: a window stays complete if the disk fails at any operation, and the next run fills it", {
    timeout: 300_000,
  }, async () => {
    const { built, last } = await busyChain(anvil());
    const clean = await entitiesOf(await runOn(anvil(), built, { to: last }));
    let at = first;
    for (let isOver = false; !isOver; at += stride) {
      const files = new MemoryArchiveFiles();
      // A short run first, so that there is something that may be spoilt.
      await runArchived(anvil(), files, built, { to: last - 6 });
      const failing = new FailingArchiveFiles(files, failure, at);
      const run: ArchivedRun | undefined = await runArchived(anvil(), failing, built, { to: last }).catch(
        (error: Error) => {
          expect(error.message).toContain("the disk fails");
          return undefined;
        },
      );
      isOver = !failing.hasFailed;
      if (run) expect(await entitiesOf(run.ran), `operation ${at}`).toEqual(clean);
      if (run && !isOver && failure !== "crashes") expect(run.troubles.length, `operation ${at}`).toBe(1);
      expect(await troubles(files), `operation ${at}`).toEqual([]);
      const mending = await runArchived(anvil(), files, built, { to: last });
      expect(mending.damage).toEqual([]);
      expect(await entitiesOf(mending.ran), `operation ${at}`).toEqual(clean);
      const again = await runArchived(anvil(), files, built, { to: last });
      expect(await entitiesOf(again.ran), `operation ${at}`).toEqual(clean);
      expect(again.requests, `operation ${at}`).toBe(0);
      expect(await troubles(files), `operation ${at}`).toEqual([]);
    }
    expect(at).toBeGreaterThan(first + stride);
  });
});

it("INV-D2: two runs that fill one archive at the same time leave it complete, even if either crashes", async () => {
  const { built, last } = await busyChain(anvil());
  const clean = await entitiesOf(await runOn(anvil(), built, { to: last }));
  let at = first;
  for (let isOver = false; !isOver; at += stride) {
    const files = new MemoryArchiveFiles();
    const failing = new FailingArchiveFiles(files, "crashes", at);
    const runs = await Promise.all([
      runArchived(anvil(), failing, built, { to: last }),
      runArchived(anvil(), files, built, { to: last - 5 }),
    ]);
    isOver = !failing.hasFailed;
    expect(await entitiesOf(runs[0].ran)).toEqual(clean);
    expect(await troubles(files), `operation ${at}`).toEqual([]);
    await runArchived(anvil(), files, built, { to: last });
    const again = await runArchived(anvil(), files, built, { to: last });
    expect(await entitiesOf(again.ran), `operation ${at}`).toEqual(clean);
    expect(again.requests, `operation ${at}`).toBe(0);
  }
  expect(at).toBeGreaterThan(first + stride);
});
