import { expect, test } from "vitest";
import type { HostedStatus } from "../../src/hosting/engine.js";
import { deleteVersion, setPaused } from "../../src/platform/subgraphs/versions.js";
import { linkedFiles, startNode } from "../runtime/composition/recorded-node.js";
import { addressOf, describeDatabases } from "../support/database/databases.js";
import { bundleOf, type Host, host, project, until } from "./hosted.js";

describeDatabases("a hosted subgraph with another one as its source", (databases) => {
  const started = async (): Promise<Host & { moveTo(block: number): void }> => {
    const { url, moveTo } = await startNode();
    const database = await databases.fresh();
    const address = addressOf(database);
    return { ...(await host({ database, nodes: [url], ...(address !== undefined && { address }) })), moveTo };
  };

  test("follows its source, and waits in good health while that is paused, has failed or is gone", async () => {
    const made = await started();
    const files = linkedFiles();
    const [source, composed] = [files.source, files.composed].map((one) => bundleOf(one, "subgraph.yaml"));
    if (!source || !composed) throw new Error("there are two builds");
    const at = (what: string, is: (status: HostedStatus) => boolean) =>
      until(
        what,
        () => made.status(composed.deployment),
        (status) => status !== undefined && is(status),
      );
    const ids = async () => {
      const found = await made.query(composed.deployment, "{ logs(orderBy: id) { handler data } }");
      return (found as { logs: { data: string }[] }).logs.map(({ data }) => data.split(";")[0]);
    };
    await made.deploy(composed, "composed");
    const missing = await at("it has begun", ({ health }) => health !== "unknown");
    expect(missing).toMatchObject({
      health: "healthy",
      nonFatalErrors: [],
      idleSource: `Its source ${source.deployment} is not in this project`,
    });
    made.moveTo(27);
    await made.deploy(source, "source");
    await at("it has reached its source", ({ headBlock }) => headBlock === 27);
    expect(await ids()).toEqual(["id = String a1", "id = String b1"]);
    const named = { project, name: "test", version: "source" };
    await setPaused(made.database, named, true);
    await made.hosting.reconcile();
    made.moveTo(29);
    const paused = await at("its source is paused", ({ idleSource }) => idleSource !== undefined);
    expect(paused).toMatchObject({
      health: "healthy",
      headBlock: 27,
      idleSource: `Its source ${source.deployment} is paused after block 27`,
    });
    await setPaused(made.database, named, false);
    await made.hosting.reconcile();
    const going = await at("it goes on", ({ headBlock }) => headBlock === 29);
    expect(going?.idleSource).toBeUndefined();
    made.moveTo(33);
    const failed = await at("its source has failed", ({ idleSource }) => idleSource !== undefined);
    await at("it has reached the failing block", ({ headBlock }) => headBlock === 31);
    expect(failed).toMatchObject({
      health: "healthy",
      isSynced: true,
      idleSource: `Its source ${source.deployment} has failed at block 31`,
    });
    await deleteVersion(made.database, named);
    await made.hosting.reconcile();
    const gone = await at("its source is gone", ({ idleSource = "" }) => idleSource.includes("not in"));
    expect(gone).toMatchObject({ health: "healthy", nonFatalErrors: [], headBlock: 31 });
    expect(await ids()).toEqual(["id = String a1", "id = String b1", "id = String a2"]);
  });
});
