import { columns, integer, optional, text } from "../store/database/columns.js";
import { SQL, type Sql } from "../store/database/database.js";
import type { Deployment } from "../store/deployments/deployments.js";
import type { Layout } from "../store/tables/layout.js";
import type { DeploymentState, KnownBlock, QueryDeployment } from "./deployment.js";

const blockRow = columns({
  number: integer,
  hash: text,
  parentHash: optional(text),
  timestamp: optional(integer),
});
const stateRow = columns({ earliestBlock: integer, firstErrorBlock: optional(integer) });

/**
 * Opens a deployment of the catalog for queries. The hashes of its last blocks are known. Older blocks can only be
 * named by number.
 */
export function catalogDeployment({ id, deployment, schema }: Deployment, layout: Layout): QueryDeployment {
  const number = String(id);
  return {
    id: deployment,
    schema,
    layout,
    state: (sql) => readState(sql, number),
    blockOfHash: (sql, hash) => readBlock(sql, number, hash),
  };
}

/**
 * A deployment without pruned history can be read at the block before its first one, where it is empty. After a
 * deterministic failure the last block has an error. A failure that is being retried has none.
 */
async function readState(sql: Sql, id: string): Promise<DeploymentState | undefined> {
  const [row] = await sql.query(
    SQL`select d.head_number as number, d.head_hash as hash, b.parent_hash, b.timestamp,
        least(d.first_error_block, case when (d.fatal_error ->> 'deterministic')::boolean then d.head_number end) as first_error_block,
        case when d.earliest_block > d.start_block then d.earliest_block else d.start_block - 1 end as earliest_block
      from graphloom.deployments d
      left join graphloom.recent_blocks b on b.deployment = d.id and b.number = d.head_number
      where d.id = $1::integer and d.head_number is not null`,
    [id],
    { isFixed: true },
  );
  return row && { head: blockRow.read(row), ...stateRow.read(row) };
}

async function readBlock(sql: Sql, id: string, hash: string): Promise<KnownBlock | undefined> {
  const [row] = await sql.query(
    SQL`select ${blockRow.list} from graphloom.recent_blocks
      where deployment = $1::integer and hash = $2::text`,
    [id, hash],
  );
  return row && blockRow.read(row);
}
