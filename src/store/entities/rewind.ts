import type { WrittenBlock } from "../../runtime/store/store.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import { type Database, SQL, type Sql } from "../database/database.js";
import { type Deployment, findDeployment } from "../deployments/deployments.js";
import { rememberedHash } from "../deployments/head.js";
import { keptSince } from "../tables/kept-history.js";
import { versionsSql } from "../tables/versions-sql.js";
import type { LoggedTable } from "./change-log.js";
import { tablesToRevert } from "./open-store.js";
import { loggedTables, revertBlocks } from "./revert-blocks.js";

/** A deployment cannot go back to a block. The message is a sentence that says what is possible. */
export class RewindRefused extends Error {
  override readonly name = "RewindRefused";
}

/** The block to go back to, which is the last one then. */
export type LastBlock = WrittenBlock;

/** What going back to a block does to a table. */
export interface TableReversal {
  readonly table: string;
  /** Versions that begin after the block, and are deleted. */
  readonly removed: number;
  /** Earlier versions that become current again. */
  readonly restored: number;
  /** Changes that readers of the table get. */
  readonly changes: number;
}

/**
 * Checks that a deployment can go back to a block.
 * @returns its last block @throws RewindRefused; DatabaseError
 */
export async function checkRewind(
  sql: Sql,
  { id, head, startBlock }: Deployment,
  { number, hash }: { readonly number: number; readonly hash?: string | undefined },
): Promise<number> {
  if (!head) throw new RewindRefused("It has not indexed a block yet, so there is nothing to go back from.");
  const [row] = await sql.query(
    SQL`select graft_block from graphloom.deployments where id = $1::integer and graft_block is not null`,
    [String(id)],
  );
  const graft = row ? Number(row.graft_block) : undefined;
  const first = graft ?? Math.max(0, startBlock - 1);
  const kept = await keptSince(sql, id, first);
  const least = Math.max(first, kept ?? 0);
  const possible =
    least < head.number
      ? ` Choose a block from ${least} to ${head.number - 1}.`
      : " It cannot go back at all.";
  if (number >= head.number)
    throw new RewindRefused(`Block ${number} is not before its last block, ${head.number}.${possible}`);
  if (number < first && graft !== undefined)
    throw new RewindRefused(
      `It took over what its graft base had at block ${graft}, not how that was made.${possible}`,
    );
  if (number < first)
    throw new RewindRefused(
      `It begins with block ${startBlock}, so block ${number} is too early.${possible}`,
    );
  if (kept !== undefined && number < kept)
    throw new RewindRefused(`Its history is kept only from block ${kept}.${possible}`);
  const known = await rememberedHash(sql, id, number);
  if (hash !== undefined && known !== undefined && known !== hash)
    throw new RewindRefused(
      `Block ${number} was ${known} when it was indexed, not ${hash}: the chain has replaced it. Once the new block is indexed, try again.`,
    );
  return head.number;
}

/**
 * The block of a deployment with a number, while it is remembered.
 * @throws DatabaseError
 */
export async function rememberedBlock(
  sql: Sql,
  { id }: Deployment,
  number: number,
): Promise<WrittenBlock | undefined> {
  const [row] = await sql.query(
    SQL`select hash, parent_hash, timestamp from graphloom.recent_blocks
      where deployment = $1::integer and number = $2::integer`,
    [String(id), String(number)],
  );
  if (row?.hash == null) return undefined;
  return {
    number,
    hash: row.hash,
    ...(row.parent_hash != null && { parentHash: row.parent_hash }),
    ...(row.timestamp != null && { timestamp: BigInt(row.timestamp) }),
  };
}

/**
 * Counts what going back to a block does to the tables of a deployment.
 * @throws DatabaseError
 */
export async function countReversal(
  sql: Sql,
  deployment: Deployment,
  block: number,
): Promise<readonly TableReversal[]> {
  const tables = loggedTables(tablesToRevert(deployment, readEntitySchema(deployment.schema)));
  const found: TableReversal[] = [];
  for (const table of tables) {
    const [row] = await sql.query(counting(table), [String(block)]);
    const [removed, restored, gone] = [row?.removed, row?.restored, row?.gone].map(Number);
    found.push({
      table: table.layout.name,
      removed: removed ?? 0,
      restored: restored ?? 0,
      changes: (removed ?? 0) + (gone ?? 0),
    });
  }
  return found;
}

function counting({ name, layout }: LoggedTable) {
  const { begins, ends, hasEnded } = versionsSql(layout, "t");
  const after = SQL`> $1::integer`;
  const next = versionsSql(layout, "n");
  return SQL`select (select count(*) from ${name} t where ${begins} ${after}) as removed,
      count(*) filter (where ${begins} <= $1::integer) as restored,
      count(*) filter (where not exists (
        select from ${name} n where n.id = t.id and ${next.begins} = ${ends})) as gone
    from ${name} t where ${hasEnded(after)}`;
}

/**
 * Takes a deployment back to a block, as a reorganisation does: readers of its changes get the reversal.
 * A process that is indexing it fails with its next write, and continues after the block.
 * @param composed deployments with this one as a source, which go back too
 * @param within further work of the transaction
 * @returns its last block before @throws RewindRefused; DatabaseError
 */
export async function rewindDeployment(
  database: Database,
  deployment: string,
  to: WrittenBlock,
  composed: readonly string[] = [],
  within: (sql: Sql) => Promise<void> = async () => undefined,
): Promise<number> {
  return database.transaction(async (sql) => {
    const found = await locked(sql, deployment);
    if (!found)
      throw new RewindRefused("It has not indexed a block yet, so there is nothing to go back from.");
    const before = await checkRewind(sql, found, to);
    await revertBlocks(sql, tablesToRevert(found, readEntitySchema(found.schema)), found.head, to);
    for (const one of composed) await followRewind(sql, one, to);
    await within(sql);
    return before;
  });
}

async function locked(sql: Sql, deployment: string): Promise<Deployment | undefined> {
  await sql.query(SQL`select from graphloom.deployments where deployment = $1::text for update`, [
    deployment,
  ]);
  return findDeployment(sql, deployment);
}

/**
 * Says what a composed deployment does when its source goes back to a block.
 * @returns `block` if it goes back too, `start` if everything that it has is later, `nothing` if it has nothing later
 * @throws RewindRefused if it cannot go back that far; DatabaseError
 */
export async function checkFollowing(
  sql: Sql,
  deployment: Deployment,
  to: { readonly number: number },
): Promise<"block" | "start" | "nothing"> {
  const { head, startBlock } = deployment;
  if (!head || head.number <= to.number) return "nothing";
  const [grafted] = await sql.query(
    SQL`select 1 as one from graphloom.deployments where id = $1::integer and graft_block is not null`,
    [String(deployment.id)],
  );
  const kept = await keptSince(sql, deployment.id, 0);
  if (!grafted && kept === undefined && to.number < startBlock - 1) return "start";
  await checkRewind(sql, deployment, { number: to.number });
  return "block";
}

async function followRewind(sql: Sql, deployment: string, to: WrittenBlock): Promise<void> {
  const found = await locked(sql, deployment);
  if (!found) return;
  const how = await checkFollowing(sql, found, to);
  if (how === "nothing") return;
  const tables = tablesToRevert(found, readEntitySchema(found.schema));
  await revertBlocks(sql, tables, found.head, how === "start" ? undefined : to);
}
