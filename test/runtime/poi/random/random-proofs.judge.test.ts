import { expect, it, onTestFinished } from "vitest";
import { run } from "../../../../src/runtime/run-subgraph.js";
import { type Database, SQL } from "../../../../src/store/database/database.js";
import { migrate } from "../../../../src/store/database/migrate.js";
import { openPostgres } from "../../../../src/store/database/postgres/postgres-database.js";
import { openDeployment } from "../../../../src/store/deployments/deployments.js";
import { newDeployment } from "../../../../src/store/deployments/new-deployment.js";
import { storedProof } from "../../../../src/store/deployments/stored-proof.js";
import { openStore } from "../../../../src/store/entities/open-store.js";
import { collectBuild } from "../../../../src/subgraph/collect-build.js";
import { linkBuild } from "../../../../src/subgraph/deployment/link-build.js";
import { readRunnable } from "../../../../src/subgraph/runnable/read-runnable.js";
import { Anvil } from "../../../support/chain/anvil.js";
import { startPostgres } from "../../../support/database/postgres-server.js";
import { testFolder } from "../../../support/folder.js";
import { startIpfsDouble } from "../../../support/network/ipfs-double.js";
import { graphNode } from "../../../support/servers/graph-node.js";
import { freePorts } from "../../../support/servers/java-server.js";
import { realWorld } from "../../../support/worlds.js";
import { blockCount, emitter, fileMaker, mine } from "./random-chain.js";
import { type RandomSubgraph, randomSubgraph } from "./random-subgraph.js";

/** The folder with a graph-node, without which the test is skipped. */
const programs = process.env.GRAPHLOOM_GRAPH_NODE;
const count = Number(process.env.GRAPHLOOM_POI_SUBGRAPHS ?? 3);
const firstSeed = Number(process.env.GRAPHLOOM_POI_SEED ?? 1);
/** Subgraphs that share a chain and a graph-node. */
const batchSize = 30;
/** What the handlers say that fail on purpose. */
const purpose = "as told";

/** The proofs of graphloom at every block. */
async function ownProofs(
  { chain, database }: { readonly chain: Anvil; readonly database: Database },
  id: string,
  files: ReadonlyMap<string, string | Uint8Array>,
  hashes: readonly string[],
): Promise<readonly unknown[]> {
  const built = readRunnable({ manifest: "subgraph.yaml", files });
  const deployment = await openDeployment(database, newDeployment(built, id));
  const options = { to: hashes.length - 1, beginsBefore: true };
  await run(built, chain.chain(), openStore(database, deployment, built), options);
  const proofs: unknown[] = [];
  for (const [block, hash] of hashes.entries()) {
    const blockHash = Buffer.from(hash.slice(2), "hex");
    proofs.push((await storedProof(database, { deployment: id, block, blockHash })) ?? null);
  }
  return proofs;
}

const batches = Array.from({ length: Math.ceil(count / batchSize) }, (_, batch) => {
  const first = firstSeed + batch * batchSize;
  return { first, last: Math.min(firstSeed + count, first + batchSize) - 1 };
});

it.runIf(programs).each(batches)(
  "the proofs of random subgraphs equal those of a graph-node at every block: $first to $last",
  async ({ first, last }) => {
    const chain = await Anvil.start();
    onTestFinished(() => chain.stop());
    const [port = 0] = await freePorts(1);
    const postgres = await startPostgres({ listen_addresses: "127.0.0.1", port: `${port}` });
    onTestFinished(() => postgres.stop());
    // graph-node requires a password.
    const address = (name: string): string => `postgres://postgres:any@127.0.0.1:${port}/${name}`;
    const database = await openPostgres(address("postgres"), realWorld);
    onTestFinished(() => database.close());
    await database.run(SQL`create database node template template0 encoding 'UTF8' locale 'C'`);
    const ipfs = await startIpfsDouble();
    onTestFinished(() => ipfs.stop());
    await migrate(database);
    const main = await chain.deploy(emitter.abi, emitter.bytecode);
    const created = await chain.deploy(emitter.abi, emitter.bytecode);
    const emitters = { main: main.address, created: created.address };
    const subgraphs = new Map<string, RandomSubgraph>();
    for (let seed = first; seed <= last; seed++)
      subgraphs.set(`${seed}`, randomSubgraph(seed, emitters, blockCount));
    const hashes = await mine(chain, { main, created }, [...subgraphs.values()]);
    const filesOf = await fileMaker();
    const places = { postgres: address("node"), rpc: chain.url, ipfs: ipfs.url };
    const node = await graphNode(programs ?? "", testFolder(), places).start();
    onTestFinished(() => node.stop());
    const deployed: { readonly seed: string; readonly id: string; readonly subgraph: RandomSubgraph }[] = [];
    for (const [seed, subgraph] of subgraphs) {
      const linked = linkBuild(collectBuild({ manifest: "subgraph.yaml", files: filesOf(subgraph) }));
      for (const { bytes } of linked.files) await ipfs.put(bytes);
      const id = await ipfs.put(linked.manifest);
      await node.deploy(`random/subgraph-${seed}`, id);
      deployed.push({ seed, id, subgraph });
    }
    for (const { seed, id, subgraph } of deployed) {
      const here = await ownProofs({ chain, database }, id, filesOf(subgraph), hashes);
      const { proofs: there, failure = purpose } = await node.proofs(id, hashes);
      expect(failure).toContain(purpose);
      const { specVersion } = subgraph;
      expect.soft({ seed, specVersion, proofs: here }).toEqual({ seed, specVersion, proofs: there });
      expect.soft(there.filter((proof) => proof === null)).toEqual([]);
    }
  },
);
