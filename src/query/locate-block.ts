import type { Sql } from "../store/database/database.js";
import type { DeploymentState, KnownBlock, QueryDeployment } from "./deployment.js";
import { QueryError } from "./query-error.js";
import type { BlockConstraint } from "./request/blocks.js";

/** The block to read at, and its data for `_meta`. */
export interface ReadBlock {
  readonly number: number;
  readonly hash: string | null;
  readonly timestamp: number | null;
  readonly parentHash: string | null;
}

/** Finds the block that a client named. @throws QueryError if its data does not exist yet, or no longer */
export async function locateBlock(
  constraint: BlockConstraint,
  { head, earliestBlock }: DeploymentState,
  deployment: QueryDeployment,
  sql: Sql,
): Promise<ReadBlock> {
  const checked = (number: number): number => {
    if (number > head.number) throw ahead(deployment, head.number, number);
    if (number < earliestBlock) throw before(deployment, earliestBlock, number);
    return number;
  };
  switch (constraint.kind) {
    case "number":
      return { number: checked(constraint.number), hash: null, timestamp: null, parentHash: null };
    case "hash": {
      const block = await deployment.blockOfHash(sql, `0x${constraint.hash}`);
      if (!block)
        throw new QueryError("Failed to decode `block.hash` value: `no block with that hash found`");
      checked(block.number);
      return complete(block);
    }
    case "number_gte":
      if (constraint.number > head.number) {
        throw ahead(deployment, head.number, constraint.number, "block.number_gte");
      }
      return complete(head);
    case "latest":
      return complete(head);
  }
}

function complete({ number, hash, timestamp, parentHash }: KnownBlock): ReadBlock {
  return { number, hash, timestamp: timestamp ?? null, parentHash: parentHash ?? null };
}

function ahead({ id }: QueryDeployment, head: number, asked: number, name = "block.number"): QueryError {
  return new QueryError(
    `Failed to decode \`${name}\` value: \`subgraph ${id} has only indexed up to block number ${head} and ` +
      `data for block number ${asked} is therefore not yet available\``,
  );
}

function before({ id }: QueryDeployment, earliest: number, asked: number): QueryError {
  return new QueryError(
    `Failed to decode \`block.number\` value: \`subgraph ${id} only has data starting at block number ` +
      `${earliest} and data for block number ${asked} is therefore not available\``,
  );
}
