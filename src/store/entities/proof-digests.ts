import { type Row, SQL, type Sql, type SqlFragment } from "../database/database.js";
import { quoteNames } from "../database/quote.js";
import { arrayText, plainArrayText } from "../database/sql-array.js";
import { proofsTable, type VersionsSql, versionColumn, versionsSql } from "../tables/versions-sql.js";

/** The digest of a proof of indexing after a block. */
export interface BlockDigest {
  readonly block: number;
  /** Seconds since the Unix epoch. */
  readonly time: bigint | undefined;
  readonly digest: Uint8Array;
}

/** Where the digests of a deployment are. */
export interface ProofPlace {
  readonly namespace: string;
  /** The causality region, such as `ethereum/mainnet`. */
  readonly region: string;
  /** Whether the table notes the time of blocks, as it does beside aggregations. */
  readonly hasTimes: boolean;
}

const versions = versionsSql(proofsTable);
const column = versionColumn(proofsTable).name;
/** Entities of a block have lower numbers. */
const lastSequence = (1n << 32n) - 1n;

/** The table of digests as one whose versions can be reverted and pruned. */
export function tableOfProofs({ namespace }: Pick<ProofPlace, "namespace">): {
  readonly name: SqlFragment;
  readonly layout: typeof proofsTable;
  readonly versions: VersionsSql;
} {
  return { name: quoteNames(namespace, proofsTable.name), layout: proofsTable, versions };
}

/** Writes the digests of blocks, in their order. A digest that stays the same makes no version. */
export async function writeDigests(
  sql: Sql,
  { namespace, region, hasTimes }: ProofPlace,
  digests: readonly BlockDigest[],
): Promise<void> {
  const [first] = digests;
  if (!first) return;
  const table = quoteNames(namespace, proofsTable.name);
  await sql.query(
    SQL`update ${table} set ${column} = ${versions.valid(versions.begins, SQL`$1::integer`)} where ${versions.isCurrent}`,
    [String(first.block)],
  );
  const time = hasTimes ? SQL`, block_time` : SQL``;
  await sql.query(
    SQL`insert into ${table} (vid, ${column}, digest, id${time})
      select vid, ${versions.valid(SQL`block`, SQL`ends`)}, digest, $1::text${time}
        from unnest($2::bigint[], $3::integer[], $4::integer[], $5::bytea[], $6::bigint[])
          as r(vid, block, ends, digest, block_time)`,
    [
      region,
      plainArrayText(digests.map(({ block }) => (BigInt(block) << 32n) + lastSequence)),
      plainArrayText(digests.map(({ block }) => block)),
      plainArrayText(digests.map((_, index) => digests[index + 1]?.block ?? null)),
      arrayText(digests.map(({ digest }) => `\\x${Buffer.from(digest).toString("hex")}`)),
      plainArrayText(digests.map(({ time: seconds }) => seconds ?? null)),
    ],
  );
}

/**
 * The digest as of a block, or the last one. Both are `undefined` before the first handler ran.
 * @param block by default the last one
 */
export async function readDigest(
  sql: Sql,
  { namespace, region }: Pick<ProofPlace, "namespace" | "region">,
  block?: number,
): Promise<Uint8Array | undefined> {
  const valid = block === undefined ? versions.isCurrent : versions.visibleAt(SQL`$2::integer`);
  const [row] = await sql.query(
    SQL`select digest from ${quoteNames(namespace, proofsTable.name)} where id = $1::text and ${valid}`,
    [region, ...(block === undefined ? [] : [String(block)])],
  );
  return row && digestOf(row);
}

function digestOf({ digest }: Row): Uint8Array {
  return Buffer.from(digest?.slice(2) ?? "", "hex");
}
