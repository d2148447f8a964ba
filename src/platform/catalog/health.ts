import type { Row, Sql } from "../database/database.js";
import { arrayText, plainArrayText } from "../database/sql-array.js";
import type { HeadBlock } from "./deployments.js";

/** Something that went wrong while a deployment was indexed. */
export interface DeploymentError {
  readonly message: string;
  /** Nothing when it was not in a block. */
  readonly block?: { readonly number: number; readonly hash: string };
  readonly handler?: string;
  /** The name of the handler's data source or template. */
  readonly source?: string;
  readonly transactionHash?: string;
  readonly logIndex?: number;
  /** Whether it would be the same with every attempt. */
  readonly deterministic: boolean;
}

/** An error of a handler in a block. */
export type HandlerError = DeploymentError & Required<Pick<DeploymentError, "block" | "handler" | "source">>;

/** How a deployment is. */
export interface DeploymentHealth {
  /** `failed` when it does not go on, `unhealthy` when it does without what some handlers should have done. */
  readonly health: "healthy" | "unhealthy" | "failed";
  /** What ended the indexing; nothing of its block was written. */
  readonly fatalError?: DeploymentError;
  /** Errors that did not end the indexing, the first 1,000, in their order. */
  readonly nonFatalErrors: readonly HandlerError[];
  /** The first block with one of them. */
  readonly firstErrorBlock?: number;
  /** The last block that is completely written. */
  readonly latestBlock?: HeadBlock;
}

/** As many as graph-node tells of: those after them are only counted as one block with an error. */
export const mostErrors = 1_000;
const longestMessage = 10_000;

/**
 * How a deployment is, as of one state of the database.
 * @param deployment the IPFS hash of the manifest
 * @returns nothing when it was never indexed
 * @throws DatabaseError
 */
export async function readHealth(sql: Sql, deployment: string): Promise<DeploymentHealth | undefined> {
  const [row] = await sql.query(
    `select d.health, d.fatal_error, d.first_error_block, d.head_number, d.head_hash, b.parent_hash, b.timestamp,
        (select jsonb_agg(e order by e.number) from graphloom.handler_errors e where e.deployment = d.id) as errors
      from graphloom.deployments d
      left join graphloom.recent_blocks b on b.deployment = d.id and b.number = d.head_number
      where d.deployment = $1::text`,
    [deployment],
  );
  return row && healthOf(row);
}

/**
 * Notes why a deployment does not go on: it has failed until a block is written or taken back.
 * @param deployment its number in the catalog
 * @throws DatabaseError
 */
export async function recordFatalError(sql: Sql, deployment: number, error: DeploymentError): Promise<void> {
  await sql.query("update graphloom.deployments set fatal_error = $2::jsonb where id = $1::integer", [
    String(deployment),
    JSON.stringify({ ...error, message: keptText(error.message) }),
  ]);
}

/** Notes handlers that failed, in the transaction that writes their blocks. @throws DatabaseError */
export async function recordErrors(
  sql: Sql,
  deployment: number,
  errors: readonly HandlerError[],
): Promise<void> {
  const [first] = errors;
  if (!first) return;
  await sql.query(
    `insert into graphloom.handler_errors (deployment, block, block_hash, message, handler, source, transaction_hash, log_index)
      select $1::integer, block, hash, message, handler, source, transaction, log
        from unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::integer[])
          with ordinality as r(block, hash, message, handler, source, transaction, log, n)
        order by n limit greatest(0, ${mostErrors} - (select count(*) from graphloom.handler_errors where deployment = $1::integer))`,
    [
      String(deployment),
      plainArrayText(errors.map(({ block }) => block.number)),
      arrayText(errors.map(({ block }) => block.hash)),
      arrayText(errors.map(({ message }) => keptText(message))),
      arrayText(errors.map(({ handler }) => handler)),
      arrayText(errors.map(({ source }) => source)),
      arrayText(errors.map(({ transactionHash }) => transactionHash ?? null)),
      plainArrayText(errors.map(({ logIndex }) => logIndex ?? null)),
    ],
  );
  await sql.query(
    "update graphloom.deployments set first_error_block = coalesce(first_error_block, $2::integer) where id = $1::integer",
    [String(deployment), String(first.block.number)],
  );
}

/** Forgets the handlers that failed after a block, in the transaction that takes the blocks back. @throws DatabaseError */
export async function dropErrorsAfter(sql: Sql, deployment: number, block: number): Promise<void> {
  const own = [String(deployment), String(block)];
  await sql.query(
    "delete from graphloom.handler_errors where deployment = $1::integer and block > $2::integer",
    own,
  );
  await sql.query(
    "update graphloom.deployments set first_error_block = null where id = $1::integer and first_error_block > $2::integer",
    own,
  );
}

/** A message that the database can hold: of mappings, that may say anything. */
function keptText(message: string): string {
  const text = message.slice(0, longestMessage).replaceAll("\0", "");
  // What is half of a character becomes the sign for it.
  return Buffer.from(text).toString();
}

function healthOf(row: Row): DeploymentHealth {
  const { health, fatal_error: fatal, first_error_block: first, head_number: number, head_hash: hash } = row;
  const errors: readonly Readonly<Record<string, string | number | null>>[] = JSON.parse(row.errors ?? "[]");
  return {
    health: health === "failed" || health === "unhealthy" ? health : "healthy",
    ...(fatal != null && { fatalError: JSON.parse(fatal) }),
    nonFatalErrors: errors.map((error) => ({
      message: String(error.message),
      block: { number: Number(error.block), hash: String(error.block_hash) },
      handler: String(error.handler),
      source: String(error.source),
      ...(error.transaction_hash !== null && { transactionHash: String(error.transaction_hash) }),
      ...(error.log_index !== null && { logIndex: Number(error.log_index) }),
      deterministic: true,
    })),
    ...(first != null && { firstErrorBlock: Number(first) }),
    ...(number != null &&
      hash != null && {
        latestBlock: {
          number: Number(number),
          hash,
          ...(row.parent_hash != null && { parentHash: row.parent_hash }),
          ...(row.timestamp != null && { timestamp: BigInt(row.timestamp) }),
        },
      }),
  };
}
