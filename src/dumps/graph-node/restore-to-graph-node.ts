import { type Database, SQL, type Sql } from "../../store/database/database.js";
import { quoteName, quoteText } from "../../store/database/quote.js";
import { arrayText } from "../../store/database/sql-array.js";
import { reserveNumber } from "../../store/deployments/restored-deployment.js";
import { moveSequence } from "../../store/tables/copy-tables.js";
import { createBareTables, createIndexes, type GraphNodeTables } from "../../store/tables/create-tables.js";
import { isAtLeast } from "../../subgraph/runnable/versions.js";
import { DumpError } from "../dump-error.js";
import type { DumpFiles } from "../dump-files.js";
import { readDumpText } from "../dump-folder.js";
import type { DumpBlock, DumpMetadata } from "../dump-metadata.js";
import { isNumbered } from "../dump-tables.js";
import { type JudgedDump, judgeDump } from "../judge-dump.js";
import { dropClamps, type LoadPlace } from "../load-table.js";
import { loadTables, type RestoreOptions, type RestoreReport } from "../restore-dump.js";
import { anotherRestores, type Begun, folderHash, placesOf } from "../restore-steps.js";
import { verifyProof } from "../verify-dump.js";
import { requireGraphNode } from "./graph-node-source.js";

/**
 * Restores a dump into the database of a graph-node, which indexes it further once its build is deployed there under a
 * name. The graph-node sees the deployment once all rows are loaded and counted. A restore that was interrupted is
 * continued. If the folder has changed since, it starts over.
 * @param database the primary one of the graph-node, which may be at work
 * @throws DumpError, DatabaseError, and errors of the system
 */
export async function restoreToGraphNode(
  database: Database,
  files: DumpFiles,
  { onProgress, signal }: Pick<RestoreOptions, "onProgress" | "signal">,
): Promise<RestoreReport> {
  const dump = await judgeDump(files);
  const { metadata } = dump;
  const { deployment, network, head } = metadata;
  if (!dump.hasProofs)
    throw new DumpError("the dump has no proofs of indexing, so those of a graph-node would be wrong", {
      hint: "Index the subgraph with proofs, and dump it again.",
    });
  await verifyProof(files, dump);
  await requireGraphNode(database);
  const begun = await database.transaction(async (sql) => {
    await checkFree(sql, metadata);
    return begin(sql, dump);
  });
  const place: LoadPlace = {
    database,
    files,
    deployment,
    namespace: begun.namespace,
    head: head?.number ?? -1,
    hold: (sql) => hold(sql, deployment, begun),
    onProgress,
    signal,
  };
  const tables = await loadTables(place, begun.tables, metadata);
  for (const statement of createIndexes(begun.layout, begun.graphNode)) {
    signal?.throwIfAborted();
    await database.run(statement);
  }
  signal?.throwIfAborted();
  const manifest = await readDumpText(files, "subgraph.yaml");
  await database.transaction((sql) => finish(sql, dump, begun, manifest));
  return { deployment, network, head: head?.number, tables, isContinued: begun.isContinued };
}

interface GraphNodeRestore extends Begun {
  readonly graphNode: GraphNodeTables;
  /** The comment of its schema while it is filled. */
  readonly mark: string;
}

/** @throws DumpError if the graph-node has the deployment, or cannot index its chain */
async function checkFree(sql: Sql, { deployment, network }: DumpMetadata): Promise<void> {
  const [found] = await sql.query(
    SQL`select exists (select 1 from public.deployment_schemas where subgraph = $1::text) as there,
      exists (select 1 from public.chains where name = $2::text) as chain,
      (select string_agg(name, ', ' order by name) from public.chains) as chains`,
    [deployment, network],
  );
  if (found?.there === "t")
    throw new DumpError(`the graph-node has ${deployment} already`, {
      hint: `Remove it there first: graphman remove <name> for each of its names, graphman unused record, and graphman unused remove --deployment ${deployment}.`,
    });
  if (found?.chain !== "t")
    throw new DumpError(`the graph-node has no chain ${network}`, {
      hint: `Its chains are ${found?.chains ?? "not known yet"}. Start it once with a node of ${network}.`,
    });
}

/** How the comment of a schema begins while a restore fills it. The next restore finds it by that. */
function markOf(deployment: string): string {
  return `graphloom restores ${deployment} from `;
}

async function lock(sql: Sql, deployment: string): Promise<void> {
  await sql.query(SQL`select pg_advisory_xact_lock(hashtextextended($1::text, 0))`, [markOf(deployment)]);
}

/** Creates the tables, or finds those of a restore of the same folder. */
async function begin(sql: Sql, dump: JudgedDump): Promise<GraphNodeRestore> {
  const { deployment, manifest } = dump.metadata;
  await lock(sql, deployment);
  const graphNode = { hasSequences: !isAtLeast(manifest.specVersion, "1.3.0") };
  const mark = markOf(deployment) + folderHash(dump);
  const rows = await sql.query(
    SQL`select nspname as namespace, obj_description(oid, 'pg_namespace') as mark from pg_namespace
      where nspname ~ '^sgd[0-9]+$' and starts_with(obj_description(oid, 'pg_namespace'), $1::text)`,
    [markOf(deployment)],
  );
  const same = rows.find((row) => row.mark === mark)?.namespace;
  if (same != null)
    return { ...placesOf(dump, Number(same.slice("sgd".length))), graphNode, mark, isContinued: true };
  for (const { namespace } of rows)
    if (namespace != null) await sql.run(SQL`drop schema ${quoteName(namespace)} cascade`);
  const begun = {
    ...placesOf(dump, await reserveNumber(sql, "public.deployment_schemas")),
    graphNode,
    mark,
    isContinued: false,
  };
  await sql.run(createBareTables(begun.layout, graphNode));
  await sql.run(SQL`comment on schema ${quoteName(begun.namespace)} is ${quoteText(mark)}`);
  return begun;
}

/** Locks a restore until the end of the transaction. @returns whether it is still there */
async function hold(sql: Sql, deployment: string, { namespace, mark }: GraphNodeRestore): Promise<boolean> {
  await lock(sql, deployment);
  const [row] = await sql.query(
    SQL`select obj_description(to_regnamespace($1::text), 'pg_namespace') as mark`,
    [namespace],
  );
  return row?.mark === mark;
}

/** Adds the deployment to the catalog. */
async function finish(
  sql: Sql,
  dump: JudgedDump,
  begun: GraphNodeRestore,
  yaml: string | undefined,
): Promise<void> {
  const { metadata, schema } = dump;
  const { id, namespace, tables, graphNode } = begun;
  const { deployment, network, manifest, head, startBlock, graftBase, graftBlock } = metadata;
  if (!(await hold(sql, deployment, begun))) throw anotherRestores(deployment);
  await checkFree(sql, metadata);
  for (const table of tables)
    if (graphNode.hasSequences || isNumbered(table)) await moveSequence(sql, table.name);
  await dropClamps(sql, namespace, tables);
  await sql.query(
    SQL`insert into public.deployment_schemas (id, subgraph, name, version, shard, network, active)
      values ($1::integer, $2::text, $3::text, 1, 'primary', $4::text, true)`,
    [String(id), deployment, namespace, network],
  );
  await sql.query(
    SQL`insert into subgraphs.head (id, entity_count, block_number, block_hash)
      values ($1::integer, $2::bigint, $3::integer, decode($4::text, 'hex'))`,
    [String(id), String(metadata.entityCount), ...pointer(head)],
  );
  await sql.query(
    SQL`insert into subgraphs.deployment (id, subgraph, health, failed, earliest_block_number, graft_base,
        graft_block_number, graft_block_hash, debug_fork)
      values ($1::integer, $2::text, 'healthy', false, $3::integer, $4::text, $5::integer, decode($6::text, 'hex'), $7::text)`,
    [
      String(id),
      deployment,
      String(metadata.earliestBlock),
      graftBase ?? null,
      ...pointer(graftBlock),
      metadata.debugFork ?? null,
    ],
  );
  await sql.query(
    SQL`insert into subgraphs.subgraph_manifest (id, spec_version, description, repository, features, schema,
        use_bytea_prefix, start_block_number, start_block_hash, raw_yaml, entities_with_causality_region, history_blocks)
      values ($1::integer, $2::text, $3::text, $4::text, $5::text[], $6::text, true, $7::integer,
        decode($8::text, 'hex'), $9::text, $10::text[], $11::integer)`,
    [
      String(id),
      manifest.specVersion,
      manifest.description,
      manifest.repository,
      arrayText(manifest.features),
      schema,
      ...pointer(startBlock),
      yaml ?? null,
      arrayText(manifest.fileTypes),
      String(manifest.historyBlocks),
    ],
  );
  await sql.run(SQL`comment on schema ${quoteName(namespace)} is null`);
}

/** The number of a block, and the hex digits of its hash. */
function pointer(block: DumpBlock | undefined): readonly [string | null, string | null] {
  return block ? [String(block.number), block.hash.replace(/^0x/, "")] : [null, null];
}
