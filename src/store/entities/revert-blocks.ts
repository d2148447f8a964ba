import type { BlockPointer } from "../../runtime/chain/chain.js";
import type { WrittenBlock } from "../../runtime/store/store.js";
import { DatabaseError, SQL, type Sql } from "../database/database.js";
import { quoteNames } from "../database/quote.js";
import { uncountRuns } from "../deployments/handler-counts.js";
import {
  forgetAllBlocks,
  forgetBlocksAfter,
  keepBranch,
  moveHead,
  rememberedHash,
  wakeReaders,
} from "../deployments/head.js";
import { dropErrorsAfter } from "../deployments/health.js";
import { branchAfter } from "../tables/change-origin.js";
import { keptSince } from "../tables/kept-history.js";
import { revertVersions } from "../tables/revert-versions.js";
import { dataSourcesTable, versionsSql } from "../tables/versions-sql.js";
import { type LoggedTable, logReversal } from "./change-log.js";
import { tableOfProofs } from "./proof-digests.js";
import type { Target } from "./write-batch.js";

/** The tables to revert. */
export type Reverted = Pick<Target, "deployment" | "tables" | "rollUps" | "proofs"> & {
  readonly sources: Pick<Target["sources"], "namespace">;
};

/** All tables of entities, including aggregations. */
export function loggedTables({
  tables,
  rollUps,
}: Pick<Reverted, "tables" | "rollUps">): readonly LoggedTable[] {
  return [...tables.values(), ...rollUps.map(({ name, table }) => ({ name, layout: table }))];
}

/**
 * Reverts everything after a block, in a transaction.
 * @param from the head
 * @throws DatabaseError also if the block was pruned; Error if it was never written
 */
export async function revertBlocks(
  sql: Sql,
  { deployment, tables, rollUps, proofs, sources: { namespace } }: Reverted,
  from: BlockPointer | undefined,
  to: WrittenBlock | undefined,
): Promise<void> {
  await checkAncestor(sql, deployment, from, to);
  const last = to?.number ?? -1;
  const all = loggedTables({ tables, rollUps });
  const { seq, isWatched, branch: before } = await moveHead(sql, deployment, from, to, 0);
  const branch = branchAfter(before, from, to);
  await keepBranch(sql, deployment, branch);
  if (isWatched) {
    await logReversal(sql, { deployment, namespace }, all, last, { seq, branch });
    await wakeReaders(sql, deployment);
  }
  for (const table of all) await revertVersions(sql, table, last);
  if (proofs) await revertVersions(sql, tableOfProofs(proofs), last);
  const sources = quoteNames(namespace, dataSourcesTable.name);
  await sql.query(SQL`delete from ${sources} where ${versionsSql(dataSourcesTable).begins} > $1::integer`, [
    String(last),
  ]);
  await sql.query(SQL`update ${sources} set done_at = null where done_at > $1::integer`, [String(last)]);
  await dropErrorsAfter(sql, deployment, last);
  await uncountRuns(sql, deployment, to?.number);
  if (to) await forgetBlocksAfter(sql, deployment, to);
  else await forgetAllBlocks(sql, deployment);
}

/** @throws DatabaseError if versions that would become current again were pruned */
async function checkIsKept(sql: Sql, deployment: number, block: number): Promise<void> {
  const since = await keptSince(sql, deployment, block);
  if (since === undefined) return;
  throw new DatabaseError(`cannot revert to block ${block}: entities are kept only from block ${since}`, {
    hint: "Index the subgraph again into a new database, and keep more history (indexerHints.prune).",
  });
}

async function checkAncestor(
  sql: Sql,
  deployment: number,
  from: BlockPointer | undefined,
  to: BlockPointer | undefined,
): Promise<void> {
  if (!to) return;
  await checkIsKept(sql, deployment, to.number);
  if (!from || to.number > from.number) {
    throw new Error(`cannot revert to block ${to.number}: the last block is ${from?.number ?? "none"}`);
  }
  const known = await rememberedHash(sql, deployment, to.number);
  if (known !== undefined && known !== to.hash) {
    throw new Error(
      `cannot revert to block ${to.number} ${to.hash}: its hash was ${known} when it was written`,
    );
  }
}
