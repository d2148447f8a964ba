import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { restoreToGraphNode } from "../../src/dumps/graph-node/restore-to-graph-node.js";
import { writeDump } from "../../src/dumps/write-dump.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import { run } from "../../src/runtime/run-subgraph.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import { openPostgres } from "../../src/store/database/postgres/postgres-database.js";
import { quoteName, quoteNames } from "../../src/store/database/quote.js";
import { openDeployment } from "../../src/store/deployments/deployments.js";
import { newDeployment } from "../../src/store/deployments/new-deployment.js";
import { storedProof } from "../../src/store/deployments/stored-proof.js";
import { openStore } from "../../src/store/entities/open-store.js";
import { openForeignDatabase } from "../../src/store/open.js";
import { collectBuild } from "../../src/subgraph/collect-build.js";
import { linkBuild } from "../../src/subgraph/deployment/link-build.js";
import { readRunnable } from "../../src/subgraph/runnable/read-runnable.js";
import { isAtLeast } from "../../src/subgraph/runnable/versions.js";
import { blockCount, emitter, fileMaker, mine } from "../runtime/poi/random/random-chain.js";
import { type RandomSubgraph, randomSubgraph } from "../runtime/poi/random/random-subgraph.js";
import { Anvil } from "../support/chain/anvil.js";
import { startPostgres } from "../support/database/postgres-server.js";
import { testFolder } from "../support/folder.js";
import { startIpfsDouble } from "../support/network/ipfs-double.js";
import { type GraphNode, graphNode } from "../support/servers/graph-node.js";
import { freePorts } from "../support/servers/java-server.js";
import { realWorld } from "../support/worlds.js";

/** The folder with graph-node and graphman of the same version, without which the test is skipped. */
const programs = process.env.GRAPHLOOM_GRAPH_NODE;
const count = Number(process.env.GRAPHLOOM_DUMP_SUBGRAPHS ?? 4);
const firstSeed = Number(process.env.GRAPHLOOM_DUMP_SEED ?? 1);
/** The blocks that the dumps have. */
const dumped = Math.floor(blockCount * 0.6);

/** A subgraph that graphloom has indexed to the end, and dumped on the way. */
interface Dumped {
  readonly seed: number;
  readonly id: string;
  readonly folder: string;
  readonly hasVids: boolean;
  /** At every block. */
  readonly proofs: readonly unknown[];
}

/** The tables of a deployment of a graph-node. */
interface Tables {
  readonly columns: unknown;
  /** By their names, with definitions. */
  readonly indexes: ReadonlyMap<string, string>;
  readonly rows: readonly (readonly [table: string, rows: readonly unknown[]])[];
}

/**
 * Reads the tables of a deployment of a graph-node.
 * @param hasVids whether the vids are the dump's. Before version 1.3.0 of the manifest, graphman numbers rows again, and
 *   graph-node gives those of a block in any order
 */
async function tablesOf(database: Database, id: string, hasVids: boolean): Promise<Tables> {
  const [row] = await database.query(
    SQL`select name from public.deployment_schemas where subgraph = $1::text`,
    [id],
  );
  const namespace = row?.name ?? "";
  const columns = await database.query(
    SQL`select table_name as table, column_name as name, data_type as type, is_nullable as nullable,
        (column_default is not null or is_identity = 'YES')::text as numbered
      from information_schema.columns where table_schema = $1::text order by 1, 2`,
    [namespace],
  );
  const indexes = await database.query(
    SQL`select indexname as name, replace(indexdef, $1::text || '.', '') as definition
      from pg_indexes where schemaname = $1::text`,
    [namespace],
  );
  const names = [...new Set(columns.map(({ table }) => table ?? ""))];
  const rows: [string, readonly unknown[]][] = [];
  for (const name of names) {
    const read = await database.query(
      SQL`select to_jsonb(t)::text as row from ${quoteNames(namespace, name)} t order by vid`,
    );
    const all = read.map((one): { vid?: unknown } => JSON.parse(one.row ?? ""));
    if (!hasVids && name !== "data_sources$") for (const one of all) delete one.vid;
    rows.push([name, hasVids ? all : all.map((one) => JSON.stringify(one)).sort()]);
  }
  return {
    columns,
    indexes: new Map(indexes.map(({ name, definition }) => [name ?? "", definition ?? ""])),
    rows,
  };
}

/** The tables restored by graphloom, with those indexes only that graphman has made too: it postpones others. */
function expectSameTables(seed: number, ours: Tables, theirs: Tables): void {
  const shared = new Map([...ours.indexes].filter(([name]) => theirs.indexes.has(name)));
  expect.soft({ seed, ...ours, indexes: shared }).toEqual({ seed, ...theirs });
}

/** The rows of the catalog that say what is restored. */
async function catalogOf(database: Database, id: string): Promise<unknown> {
  const rows = await database.query(
    SQL`select to_jsonb(s) - '{id,name,created_at}'::text[] || jsonb_build_object('head', to_jsonb(h) - 'id',
        'deployment', to_jsonb(d) - 'id', 'manifest', to_jsonb(m) - '{id,graph_node_version_id}'::text[]) as row
      from public.deployment_schemas s join subgraphs.head h on h.id = s.id
        join subgraphs.deployment d on d.id = s.id join subgraphs.subgraph_manifest m on m.id = s.id
      where s.subgraph = $1::text`,
    [id],
  );
  return rows.map(({ row }) => JSON.parse(row ?? ""));
}

/** Starts a graph-node once, so that it makes its tables and knows its chain. */
async function prepare(node: GraphNode): Promise<void> {
  const running = await node.start();
  await running.status("{ indexingStatuses { subgraph } }");
  await running.stop();
}

it.runIf(programs)(
  "a graph-node continues what graphman and graphloom restore from a dump of graphloom, with the same tables and proofs",
  async () => {
    const chain = await Anvil.start();
    onTestFinished(() => chain.stop());
    const ipfs = await startIpfsDouble();
    onTestFinished(() => ipfs.stop());
    const [port = 0] = await freePorts(1);
    const postgres = await startPostgres({ listen_addresses: "127.0.0.1", port: `${port}` });
    onTestFinished(() => postgres.stop());
    const address = (name: string): string => `postgres://postgres:any@127.0.0.1:${port}/${name}`;
    const own = await openPostgres(address("postgres"), realWorld);
    onTestFinished(() => own.close());
    for (const name of ["theirs", "ours"])
      await own.run(SQL`create database ${quoteName(name)} template template0 encoding 'UTF8' locale 'C'`);
    await migrate(own);

    const main = await chain.deploy(emitter.abi, emitter.bytecode);
    const created = await chain.deploy(emitter.abi, emitter.bytecode);
    const emitters = { main: main.address, created: created.address };
    const subgraphs = new Map<number, RandomSubgraph>();
    for (let seed = firstSeed; seed < firstSeed + count; seed++)
      subgraphs.set(seed, randomSubgraph(seed, emitters, blockCount));
    const hashes = await mine(chain, { main, created }, [...subgraphs.values()]);
    const filesOf = await fileMaker();

    const deployments: Dumped[] = [];
    for (const [seed, subgraph] of subgraphs) {
      const files = filesOf(subgraph);
      const linked = linkBuild(collectBuild({ manifest: "subgraph.yaml", files }));
      for (const { bytes } of linked.files) await ipfs.put(bytes);
      expect(await ipfs.put(linked.manifest)).toBe(linked.deploymentId);
      const id = linked.deploymentId;
      const built = readRunnable({ manifest: "subgraph.yaml", files });
      const store = async () => openStore(own, await openDeployment(own, newDeployment(built, id)), built);
      const to = hashes.length - blockCount + dumped - 1;
      await run(built, chain.chain(), await store(), { to, beginsBefore: true });
      const folder = join(testFolder(), "dump");
      await writeDump(own, openDumpFiles(folder), id);
      await run(built, chain.chain(), await store(), { to: hashes.length - 1, beginsBefore: true });
      const proofs: unknown[] = [];
      for (const [block, hash] of hashes.entries()) {
        const blockHash = Buffer.from(hash.slice(2), "hex");
        proofs.push((await storedProof(own, { deployment: id, block, blockHash })) ?? null);
      }
      deployments.push({ seed, id, folder, hasVids: isAtLeast(subgraph.specVersion, "1.3.0"), proofs });
    }

    const nodeOf = (name: string): GraphNode =>
      graphNode(programs ?? "", testFolder(), { postgres: address(name), rpc: chain.url, ipfs: ipfs.url });
    const [theirs, ours] = [nodeOf("theirs"), nodeOf("ours")];
    await prepare(theirs);
    await prepare(ours);
    const [theirDatabase, ourDatabase] = [
      await openForeignDatabase(address("theirs"), realWorld),
      await openForeignDatabase(address("ours"), realWorld),
    ];
    onTestFinished(async () => {
      await theirDatabase.close();
      await ourDatabase.close();
    });
    for (const { seed, id, folder, hasVids } of deployments) {
      await theirs.graphman("create", `random/subgraph-${seed}`);
      await theirs.graphman("restore", folder, "--name", `random/subgraph-${seed}`);
      await restoreToGraphNode(ourDatabase, openDumpFiles(folder), {});
      const catalog = await catalogOf(ourDatabase, id);
      expect.soft({ seed, catalog }).toEqual({ seed, catalog: await catalogOf(theirDatabase, id) });
      expectSameTables(
        seed,
        await tablesOf(ourDatabase, id, hasVids),
        await tablesOf(theirDatabase, id, hasVids),
      );
    }
    for (const [node, isOurs] of [
      [theirs, false],
      [ours, true],
    ] as const) {
      const running = await node.start();
      for (const { seed, id } of isOurs ? deployments : [])
        await running.deploy(`random/subgraph-${seed}`, id);
      for (const { seed, id, proofs } of deployments)
        expect
          .soft({ isOurs, seed, proofs: (await running.proofs(id, hashes)).proofs })
          .toEqual({ isOurs, seed, proofs });
      await running.stop();
    }
    for (const { seed, id, hasVids } of deployments)
      expectSameTables(
        seed,
        await tablesOf(ourDatabase, id, hasVids),
        await tablesOf(theirDatabase, id, hasVids),
      );
  },
);
