import { poiRegion, proofOfIndexing } from "../../runtime/poi/proof-of-indexing.js";
import { parseBytes } from "../database/bytea.js";
import { SQL, type Sql } from "../database/database.js";
import { quoteNames } from "../database/quote.js";
import { proofsTable, versionsSql } from "../tables/versions-sql.js";
import { findDeployment } from "./deployments.js";

/** What a proof of indexing is asked for. */
export interface AskedProof {
  readonly deployment: string;
  readonly block: number;
  /** Any bytes: the hash is not compared with the chain. */
  readonly blockHash: Uint8Array;
  /** 20 bytes; none by default, which differs from the zero address. */
  readonly indexer?: Uint8Array | undefined;
}

/**
 * The proof of indexing of a deployment at a block. If indexing has failed, each block above the last one has the proof of
 * the failed block.
 * @returns 0x and 64 hex digits; `undefined` if the deployment has not indexed the block, or keeps no proofs
 * @throws DatabaseError
 */
export async function storedProof(sql: Sql, asked: AskedProof): Promise<string | undefined> {
  const found = await findDeployment(sql, asked.deployment);
  if (!found?.proofVariant) return undefined;
  const { id, namespace, proofVariant: variant } = found;
  const region = poiRegion(found);
  // One statement, since a reorganisation may revert blocks in between.
  const [row] = await sql.query(
    SQL`select d.*, p.digest from (
        select case when head_number >= $2::integer then $2::integer else (fatal_error -> 'block' ->> 'number')::integer end
            as block, head_number < $2::integer as is_above, fatal_error -> 'block' ->> 'hash' as failed_hash
          from graphloom.deployments where id = $1::integer and head_number is not null) d
      left join ${quoteNames(namespace, proofsTable.name)} p
        on p.id = $3::text and ${versionsSql(proofsTable, "p").visibleAt(SQL`d.block`)}`,
    [String(id), String(asked.block), region],
  );
  if (row?.block == null) return undefined;
  const failed = row.is_above === "t" || row.is_above === "true" ? row.failed_hash : undefined;
  const { digest } = row;
  return proofOfIndexing({
    variant,
    deployment: asked.deployment,
    block: Number(row.block),
    blockHash: failed == null ? asked.blockHash : Buffer.from(failed.replace(/^0x/, ""), "hex"),
    indexer: asked.indexer,
    regions: new Map(digest == null ? [] : [[region, parseBytes(digest)]]),
  });
}
