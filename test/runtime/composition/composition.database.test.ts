import { expect, test } from "vitest";
import { type RunOptions, type RunOutcome, run } from "../../../src/runtime/run-subgraph.js";
import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteNames } from "../../../src/store/database/quote.js";
import { findDeployment, openDeployment } from "../../../src/store/deployments/deployments.js";
import { dropDeployment } from "../../../src/store/deployments/drop-deployment.js";
import { newDeployment } from "../../../src/store/deployments/new-deployment.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import { openSource } from "../../../src/store/entities/source-subgraph.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { describeDatabases } from "../../support/database/databases.js";
import { plainEntity } from "../harness.js";
import { deploymentOf, filesOf, type Handled, RecordedBranches, recorded } from "./recorded-compositions.js";

const { replaced } = recorded.chain;

/** Runs a recorded build in a database, from where it ended before. */
async function runIn(
  database: Database,
  name: string,
  chain: RecordedBranches,
  options: RunOptions & { readonly mostEntities?: number; readonly graftBlock?: number } = {},
): Promise<RunOutcome & { readonly store: Store }> {
  const { graftBlock } = options;
  const grafted = { base: deploymentOf(name), block: graftBlock };
  const files =
    graftBlock === undefined
      ? filesOf(name)
      : filesOf(name, (manifest) =>
          JSON.stringify({ ...JSON.parse(manifest), features: ["grafting"], graft: grafted }),
        );
  const built = readRunnable(files);
  const id = graftBlock === undefined ? deploymentOf(name) : `${deploymentOf(name)}Grafted`;
  const deployment = await openDeployment(
    database,
    newDeployment(built, id, { graft: { reorgThreshold: 0 } }),
  );
  const store = openStore(database, deployment, built);
  const { mostEntities } = options;
  const outcome = await run(built, chain, store, {
    verify: "off",
    beginsBefore: true,
    openSource: (source) =>
      openSource(database, source, { ...(mostEntities !== undefined && { mostEntities }) }),
    ...options,
  });
  return { ...outcome, store };
}

/** What the handlers of a composed subgraph have received, as its mapping notes it. */
async function handledBy(store: Store): Promise<readonly Handled[]> {
  const logs = (await store.current("Log")).map(({ from, entity }) => ({
    block: from,
    ...plainEntity(entity),
  }));
  return logs.map((one) => {
    const { block, id, handler, data, source, who } = one as unknown as Record<string, string>;
    const all = [Number(block), Number(id), handler, data, source, ...(who === undefined ? [] : [who])];
    return all as unknown as Handled;
  });
}

async function digestsOf(database: Database, name: string): Promise<unknown> {
  const { namespace = "" } = (await findDeployment(database, deploymentOf(name))) ?? {};
  const rows = await database.query(
    SQL`select lower(block_range) as block, encode(digest, 'hex') as digest from ${quoteNames(namespace, "poi2$")} order by vid`,
  );
  return rows.map(({ block, digest }) => [Number(block), digest]);
}

describeDatabases("subgraphs with other subgraphs as sources", ({ fresh }) => {
  test("handle the same entities in the same order as on a graph-node, with the same proofs", async () => {
    const database = await fresh();
    const early = new RecordedBranches(32);
    for (const source of ["S1", "S2"]) await runIn(database, source, early);
    await runIn(database, "SR", new RecordedBranches(recorded.chain.head));
    for (const name of ["C1", "C2", "C3", "CB"]) {
      // A few entities at a time, so that ranges are cut short.
      const chain = new RecordedBranches(name === "CB" ? recorded.chain.head : 32);
      const { store, failure } = await runIn(database, name, chain, { mostEntities: 3 });
      expect(failure).toBeUndefined();
      expect(await handledBy(store), name).toEqual(recorded.handled[name]);
      const digests = recorded.digests[name];
      if (digests) expect(await digestsOf(database, name), name).toEqual(digests);
    }
  });

  test("INV-R2: follow a reorganisation, and wait for a source that has not followed it yet", async () => {
    const database = await fresh();
    const chain = new RecordedBranches(replaced.to, "old");
    await runIn(database, "SR", chain);
    expect((await runIn(database, "CR", chain)).progress.block).toBe(replaced.to);
    chain.moveTo(487, "new");
    const waiting = await runIn(database, "CR", chain);
    expect(waiting.progress).toMatchObject({ block: replaced.from - 1, target: replaced.from - 1 });
    expect(await handledBy(waiting.store)).toEqual(recorded.handled.CR?.slice(0, 1));
    await runIn(database, "SR", chain);
    const { store, progress } = await runIn(database, "CR", chain);
    expect(progress.block).toBe(487);
    expect(await handledBy(store)).toEqual(recorded.handled.CR);
    expect(await digestsOf(database, "CR")).toEqual(recorded.digests.CR);
  });

  test("INV-R2: keep nothing of a replaced branch, at whatever moment it is replaced and the source follows", async () => {
    const database = await fresh();
    for (const [asked, later] of [
      [475, 0],
      [479, 1],
      [480, 0],
      [480, 7],
      [483, 0],
      [483, 30],
    ] as const) {
      const chain = new RecordedBranches(replaced.to, "old");
      for (const name of ["CR", "SR"])
        await (await runIn(database, name, chain, { to: 471 })).store.revert(undefined);
      await runIn(database, "SR", chain);
      let left: number | undefined;
      chain.onBlock = async (number) => {
        if (left === undefined && number === asked) {
          chain.moveTo(487, "new");
          left = later;
        } else if (left !== undefined) left -= 1;
        if (left !== 0) return;
        chain.onBlock = async () => undefined;
        await runIn(database, "SR", chain);
      };
      await runIn(database, "CR", chain);
      chain.onBlock = async () => undefined;
      await runIn(database, "SR", chain);
      const { store } = await runIn(database, "CR", chain);
      expect(await handledBy(store), `${asked}, ${later}`).toEqual(recorded.handled.CR);
    }
  });

  test("are grafted onto another composed one, and continue with the entities after its block", async () => {
    const database = await fresh();
    const chain = new RecordedBranches(32);
    await runIn(database, "S1", chain);
    await runIn(database, "C1", chain, { to: 29 });
    for (const graftBlock of [25, 28]) {
      const { store, failure, progress } = await runIn(database, "C1", chain, { graftBlock });
      expect([failure, progress.block]).toEqual([undefined, 32]);
      expect(await handledBy(store)).toEqual(recorded.handled.C1);
      await dropDeployment(database, `${deploymentOf("C1")}Grafted`);
    }
  });

  test("fail at the first entity of a type with two handlers, and try again", async () => {
    const database = await fresh();
    const chain = new RecordedBranches(32);
    await runIn(database, "S1", chain);
    const { failure } = await runIn(database, "two-handlers", chain);
    expect(failure).toMatchObject({ block: 25, isDeterministic: false, transactionHash: undefined });
    expect(failure?.error.message).toBe("Multiple handlers defined for entity `A`, only one is supported");
  });
});
