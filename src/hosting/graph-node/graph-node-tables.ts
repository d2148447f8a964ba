import { cell } from "../../store/database/columns.js";
import { type Database, DatabaseError, type Row, SQL } from "../../store/database/database.js";
import { type Deployment, layoutOf } from "../../store/deployments/deployments.js";
import type { HostedStorage } from "../engine.js";

/** The database of a graph-node, read-only. */
export interface GraphNodeTables {
  /** The tables of a deployment; `undefined` if it does not exist or is empty. @throws DatabaseError */
  storage(deployment: string): Promise<HostedStorage | undefined>;
  /** Whether a deployment exists. @throws DatabaseError */
  knows(deployment: string): Promise<boolean>;
  /**
   * Checks for the tables that every graph-node has.
   * @throws DatabaseError if they are missing, or the database does not answer
   */
  verify(): Promise<void>;
  close(): Promise<void>;
}

/** Reads the tables of graph-node 0.39 or later. @param database its primary shard, closed together with this */
export function createGraphNodeTables(database: Database): GraphNodeTables {
  return {
    async storage(id) {
      const [row] = await database.query(
        SQL`select s.id, s.subgraph, s.name, s.network, m.schema, h.block_number, encode(h.block_hash, 'hex') as hash,
            d.earliest_block_number as earliest
          from public.deployment_schemas s join subgraphs.deployment d on d.id = s.id
            join subgraphs.head h on h.id = s.id join subgraphs.subgraph_manifest m on m.id = s.id
          where s.subgraph = $1::text and s.active`,
        [id],
      );
      if (row?.block_number == null) return undefined;
      const deployment = deploymentOf(row);
      return {
        database,
        deployment,
        isForeign: true,
        layout: layoutOf(deployment),
        feed() {
          throw new DatabaseError("this server cannot follow the changes of a graph-node's tables");
        },
      };
    },
    async knows(id) {
      const rows = await database.query(
        SQL`select 1 as one from public.deployment_schemas where subgraph = $1::text limit 1`,
        [id],
      );
      return rows.length > 0;
    },
    async verify() {
      const [row] = await database.query(
        SQL`select (to_regclass('public.deployment_schemas') is not null
          and to_regclass('subgraphs.deployment') is not null)::text as there`,
      );
      if (row?.there !== "true") throw new DatabaseError("the database has no graph-node tables");
    },
    close: () => database.close(),
  };
}

function deploymentOf(row: Row): Deployment {
  return {
    id: Number(row.id),
    deployment: cell(row, "subgraph"),
    network: cell(row, "network"),
    namespace: cell(row, "name"),
    schema: cell(row, "schema"),
    fileTypes: new Set(),
    startBlock: Number(row.earliest),
    earliestBlock: Number(row.earliest),
    health: "healthy",
    head: { number: Number(row.block_number), hash: `0x${row.hash}` },
    isSynced: false,
  };
}
