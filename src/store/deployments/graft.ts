import type { PoiVariant } from "../../runtime/poi/events.js";
import { DatabaseError, type Row, SQL, type Sql } from "../database/database.js";
import { quoteNames } from "../database/quote.js";
import { parseArray, plainArrayText } from "../database/sql-array.js";
import { copyProblems, copyTables } from "../tables/copy-tables.js";
import type { Layout } from "../tables/layout.js";
import { dataSourcesTable, proofsTable, versionColumn, versionsSql } from "../tables/versions-sql.js";

/** The state that a deployment takes over and continues from. */
export interface Graft {
  /** The IPFS hash of the manifest of a deployment in the same database. */
  readonly base: string;
  /** The last block to take over. */
  readonly block: number;
  /** Its hash on the chain. Optional if the base has recently written that block or the next one. */
  readonly hash?: string;
  /**
   * The block must lie this many blocks before the base's last block, because later ones may still be replaced. 250 by
   * default.
   */
  readonly reorgThreshold?: number;
}

/** The number of a base's last blocks that may still be replaced, as in graph-node. */
export const defaultThreshold = 250;

/** A grafted deployment or a graft base. */
export interface GraftSide {
  readonly id: number;
  readonly deployment: string;
  readonly network: string;
  readonly layout: Layout;
  /** Missing if it keeps no proofs of indexing. */
  readonly proofVariant?: PoiVariant | undefined;
}

export interface GraftBase extends GraftSide {
  readonly firstErrorBlock?: number;
  readonly earliestBlock: number;
  readonly head?: { readonly number: number };
}

/** The error for a base that does not exist or that the caller may not use. Both give the same answer. */
export function missingGraftBase({ base, block }: Pick<Graft, "base" | "block">): DatabaseError {
  return refusal(
    { base, block },
    "it is not in the database",
    "Index it into this database first, or remove the graft.",
  );
}

function refusal(
  { base, block }: Pick<Graft, "base" | "block">,
  message: string,
  hint: string,
): DatabaseError {
  return new DatabaseError(`cannot graft onto ${base} at block ${block}: ${message}`, { hint });
}

/**
 * Checks a graft by graph-node's rules. A failure that ended the base's indexing does not matter, because it comes
 * after the base's last block.
 * @throws DatabaseError if the deployment does not exist, or does not surely have the block without errors
 */
export function checkGraftBase(
  { base, block, reorgThreshold = defaultThreshold }: Graft,
  found: GraftBase | undefined,
  network: string,
): GraftBase {
  if (!found) throw missingGraftBase({ base, block });
  const refuse = (message: string, hint: string): DatabaseError => refusal({ base, block }, message, hint);
  if (found.network !== network) {
    throw refuse(
      `it is on ${found.network}, not on ${network}`,
      "Graft onto a deployment on the same network.",
    );
  }
  if (!found.head) throw refuse("it has no blocks yet", "Index it up to the block first.");
  if (block > found.head.number) {
    throw refuse(
      `it has only reached block ${found.head.number}`,
      `Index it up to the block first, or graft at block ${found.head.number} or earlier.`,
    );
  }
  if (block < found.earliestBlock) {
    throw refuse(
      `its entities start at block ${found.earliestBlock}`,
      `Graft at block ${found.earliestBlock} or later.`,
    );
  }
  const settled = found.head.number - reorgThreshold;
  if (block > settled) {
    throw refuse(
      `it has reached block ${found.head.number}, and the chain may still replace the last ${reorgThreshold} blocks`,
      settled < found.earliestBlock
        ? "Index it further first."
        : `Graft at block ${settled} or earlier, or index it further first.`,
    );
  }
  const { firstErrorBlock: bad } = found;
  if (bad !== undefined && bad <= block) {
    throw refuse(
      `it has had errors since block ${bad}`,
      bad > found.earliestBlock ? `Graft at block ${bad - 1} or earlier.` : "Graft onto another deployment.",
    );
  }
  return found;
}

/**
 * Takes over a deployment's state after a block: entities with their history, data sources, the head and the blocks
 * before it. The tables must be empty and the base checked.
 * @throws DatabaseError if the schemas do not fit, or the base does not know the block's hash or knows a different one
 */
export async function takeOver(sql: Sql, from: GraftBase, to: GraftSide, graft: Graft): Promise<void> {
  const problems = copyProblems(from.layout, to.layout);
  if (problems.length > 0) {
    throw new DatabaseError(
      `the schema cannot be grafted onto that of ${from.deployment}: ${problems.join("; ")}`,
      {
        hint: "Change the schema. A graft may add and remove types, remove fields, and add nullable fields.",
      },
    );
  }
  const known = await hashOf(sql, from.id, graft.block);
  if (known !== undefined && graft.hash !== undefined && known !== graft.hash) {
    throw new DatabaseError(
      `block ${graft.block} of ${from.deployment} has the hash ${known}, but the chain now has ${graft.hash}`,
      { hint: "Continue indexing the base first. It will revert the blocks that the chain has replaced." },
    );
  }
  const hash = graft.hash ?? known;
  if (hash === undefined) {
    throw new DatabaseError(`${from.deployment} no longer knows the hash of block ${graft.block}`, {
      hint: "Graft at a later block.",
    });
  }
  await copyTables(sql, from.layout, to.layout, graft.block);
  await copyDataSources(sql, from, to, graft.block);
  await copyDigests(sql, from, to, graft.block);
  const own = [String(to.id), String(from.id), String(graft.block), hash];
  await sql.query(
    SQL`insert into graphloom.recent_blocks (deployment, number, hash, parent_hash, timestamp)
      select $1::integer, number, hash, parent_hash, timestamp from graphloom.recent_blocks
        where deployment = $2::integer and number < $3::integer
      union all select $1::integer, $3::integer, $4::text, null, null`,
    own,
  );
  await sql.query(
    SQL`update graphloom.deployments d set head_number = $3::integer, head_hash = $4::text,
        earliest_block = b.earliest_block, graft_base = b.deployment, graft_block = $3::integer, counted_after = $3::integer,
        manifest = d.manifest || jsonb_build_object('graftHash', $4::text)
      from graphloom.deployments b where d.id = $1::integer and b.id = $2::integer`,
    own,
  );
}

/** The hash of a block, as written or as the parent hash of the next block. */
async function hashOf(sql: Sql, deployment: number, block: number): Promise<string | undefined> {
  const [row] = await sql.query(
    SQL`select case when number = $2::integer then hash else parent_hash end as hash
      from graphloom.recent_blocks
      where deployment = $1::integer and (number = $2::integer or (number = $2::integer + 1 and parent_hash is not null))
      order by number limit 1`,
    [String(deployment), String(block)],
  );
  return row?.hash ?? undefined;
}

/**
 * Created data sources refer to templates by their position in the manifest, which may differ in the new one. Templates
 * come last, and a data source may share the name of one. Files handled after the block are handled again.
 */
async function copyDataSources(sql: Sql, from: GraftBase, to: GraftSide, block: number): Promise<void> {
  const source = quoteNames(from.layout.namespace, dataSourcesTable.name);
  const { begins, valid } = versionsSql(dataSourcesTable, "s");
  const used = await sql.query(
    SQL`select distinct manifest_idx as index from ${source} s where ${begins} <= $1::integer order by 1`,
    [String(block)],
  );
  if (used.length === 0) return;
  const before = await sourceNames(sql, from.id);
  const after = await sourceNames(sql, to.id);
  const moved = used.map(({ index }: Row) => {
    const name = before?.[Number(index)];
    const found = name == null ? -1 : (after?.lastIndexOf(name) ?? -1);
    if (found >= 0) return { index: Number(index), found };
    throw new DatabaseError(
      `${from.deployment} has created data sources from the template ${name ?? index}, which is not in the manifest`,
      { hint: "Add a template of that name to the manifest, or graft at an earlier block." },
    );
  });
  const target = quoteNames(to.layout.namespace, dataSourcesTable.name);
  await sql.query(
    SQL`insert into ${target} (${versionColumn(dataSourcesTable).name}, causality_region, manifest_idx, id, param, context, done_at)
      select ${valid(begins)}, s.causality_region, m.target, s.id, s.param, s.context,
          case when s.done_at <= $1::integer then s.done_at end
        from ${source} s join unnest($2::integer[], $3::integer[]) as m(source, target) on m.source = s.manifest_idx
        where ${begins} <= $1::integer order by ${begins}, s.vid`,
    [
      String(block),
      plainArrayText(moved.map(({ index }) => index)),
      plainArrayText(moved.map(({ found }) => found)),
    ],
  );
}

/** Copies the digests of proofs of indexing. Without those of its base, a deployment keeps none. */
async function copyDigests(sql: Sql, from: GraftBase, to: GraftSide, block: number): Promise<void> {
  if (!to.proofVariant) return;
  if (!from.proofVariant) {
    await sql.query(SQL`update graphloom.deployments set proof_variant = null where id = $1::integer`, [
      String(to.id),
    ]);
    return;
  }
  const { begins, ends, valid } = versionsSql(proofsTable);
  const hasTimes = [from, to].map(({ layout: { tables } }) =>
    tables.some(({ interval }) => interval !== undefined),
  );
  const time = hasTimes[1] ? SQL`, block_time` : SQL``;
  const copied = hasTimes[1] && !hasTimes[0] ? SQL`, 0` : time;
  await sql.query(
    SQL`insert into ${quoteNames(to.layout.namespace, proofsTable.name)} (vid, ${versionColumn(proofsTable).name}, digest, id${time})
      select vid, ${valid(begins, SQL`case when ${ends} <= $1::integer then ${ends} end`)}, digest, id${copied}
        from ${quoteNames(from.layout.namespace, proofsTable.name)} where ${begins} <= $1::integer`,
    [String(block)],
  );
}

/** The names of a deployment's data sources, then of its templates; `undefined` if they are unknown. */
export async function sourceNames(
  sql: Sql,
  deployment: number,
): Promise<readonly (string | null)[] | undefined> {
  const [row] = await sql.query(SQL`select source_names from graphloom.deployments where id = $1::integer`, [
    String(deployment),
  ]);
  return row?.source_names == null ? undefined : parseArray(row.source_names);
}
