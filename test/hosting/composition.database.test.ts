import { expect, onTestFinished, test } from "vitest";
import type { HostedStatus } from "../../src/hosting/engine.js";
import { serveRecording } from "../../src/machine/serve-recording.js";
import { deleteVersion, setPaused } from "../../src/platform/subgraphs/versions.js";
import type { RecordedTransaction } from "../../src/runtime/recording/recording.js";
import { deploymentOf, filesOf, recorded } from "../runtime/composition/recorded-compositions.js";
import { encodeLog } from "../support/chain/encode-log.js";
import { makeRecording } from "../support/chain/made-recording.js";
import { addressOf, describeDatabases } from "../support/database/databases.js";
import { type Bundle, bundleOf, type Host, host, project, until } from "./hosted.js";

const contract = recorded.chain.addresses.S ?? "";

/** A transaction with an event that the recorded source listens to. */
function event(name: string, op: string, id: string): RecordedTransaction {
  const log = encodeLog(["event E(string op, string id, int256 n, bytes b)"], "E", [op, id, 1, "0x"]);
  const fields = { from: contract, to: contract, nonce: "0x1", input: "0x" };
  const hash = `0x${Buffer.from(name).toString("hex").padStart(64, "0")}`;
  return { hash, fields, receipt: {}, logs: [{ address: contract, ...log }] };
}

/** The events of the chain's first blocks; the handler for `boom` fails. */
const events: Readonly<Record<number, RecordedTransaction>> = {
  25: event("25", "set A", "a1"),
  27: event("27", "set B", "b1"),
  29: event("29", "set A", "a2"),
  31: event("31", "boom", "b2"),
};

/** Serves a chain whose head a test moves. */
async function startChain(): Promise<{ readonly url: string; moveTo(block: number): void }> {
  const made = makeRecording(40, () => 0);
  const blocks = made.blocks.map((block, number) => {
    const own = events[number];
    return own ? { ...block, transactions: [own] } : block;
  });
  let head = 0;
  const node = await serveRecording({ ...made, history: 1, interval: 1, blocks }, { now: () => head });
  onTestFinished(() => node.close());
  return {
    url: node.url,
    moveTo: (block) => {
      head = block;
    },
  };
}

/** A build of the recorded source, and the recorded composed build with that source. */
function bundles(): { readonly source: Bundle; readonly composed: Bundle } {
  const source = bundleOf(filesOf("S1"), "subgraph.yaml");
  const ofSource = (manifest: string) => manifest.replace(deploymentOf("S1"), source.deployment);
  return { source, composed: bundleOf(filesOf("C1", ofSource), "subgraph.yaml") };
}

describeDatabases("a hosted subgraph with another one as its source", (databases) => {
  const started = async (): Promise<Host & { moveTo(block: number): void }> => {
    const { url, moveTo } = await startChain();
    const database = await databases.fresh();
    const address = addressOf(database);
    return { ...(await host({ database, nodes: [url], ...(address !== undefined && { address }) })), moveTo };
  };

  test("follows its source, and waits in good health while that is paused, has failed or is gone", async () => {
    const made = await started();
    const { source, composed } = bundles();
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
