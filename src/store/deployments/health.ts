import {
  boolean,
  columns,
  computed,
  integer,
  oneOf,
  optional,
  type RowOf,
  text,
} from "../database/columns.js";
import { type Database, type Row, SQL, type Sql } from "../database/database.js";
import { keptText } from "../database/kept-text.js";
import { quoteNames } from "../database/quote.js";
import { arrayText, plainArrayText } from "../database/sql-array.js";
import { revertVersions } from "../tables/revert-versions.js";
import { proofsTable } from "../tables/versions-sql.js";
import { type HeadBlock, headRow } from "./deployments.js";

/** An error that occurred while a deployment was indexed. */
export interface DeploymentError {
  readonly message: string;
  /** Missing if the error was not in a block; without a hash if indexing was ended from outside. */
  readonly block?: { readonly number: number; readonly hash?: string };
  readonly handler?: string;
  /** The name of the handler's data source or template. */
  readonly source?: string;
  /** The place in the mapping: `src/pool.ts:12:3`. */
  readonly place?: string;
  readonly transactionHash?: string;
  readonly logIndex?: number;
  /** Whether every attempt would fail the same way. */
  readonly deterministic: boolean;
  /** When indexing stopped, in milliseconds since 1970. Missing on retried blocks. */
  readonly at?: number;
  /** For retried blocks: since when the same block has failed, in milliseconds since 1970, and how often. */
  readonly since?: number;
  readonly attempts?: number;
}

/** An error of a handler in a block. */
export type HandlerError = DeploymentError &
  Required<Pick<DeploymentError, "handler" | "source">> & {
    readonly block: { readonly number: number; readonly hash: string };
  };

const healthRow = columns({
  deployment: text,
  /** `failed` if indexing has stopped, `unhealthy` if it continues without the effects of failed handlers. */
  health: oneOf(["healthy", "unhealthy", "failed"]),
  fatalError: optional(text),
  errors: computed(
    SQL`(select jsonb_agg(e order by e.number) from graphloom.handler_errors e where e.deployment = deployments.id)`,
    optional(text),
  ),
  /** The first block with a non-fatal error. */
  firstErrorBlock: optional(integer),
  /** The first block to index. */
  startBlock: integer,
  /** Whether it has ever reached the chain head. */
  isSynced: computed(SQL`synced_at is not null`, boolean),
  /** The database schema that holds its entities. */
  namespace: computed(SQL`'sgd' || id`, text),
});

export interface DeploymentHealth
  extends Omit<RowOf<typeof healthRow>, "deployment" | "fatalError" | "errors"> {
  /**
   * The error that ended indexing: its block is the last one and contains only the failure. Or an error that is being
   * retried: the last block is the one before.
   */
  readonly fatalError?: DeploymentError;
  /** The first 1,000 non-fatal errors, in order. */
  readonly nonFatalErrors: readonly HandlerError[];
  /** The last completely written block. */
  readonly latestBlock?: HeadBlock;
}

/** graph-node reports as many. Later errors only mark that there was a block with an error. */
export const mostErrors = 1_000;

/** The time in milliseconds since 1970. */
const milliseconds = SQL`(extract(epoch from now()) * 1000)::bigint`;

/**
 * The health of deployments, from one state of the database.
 * @param deployments the IPFS hashes of their manifests
 * @returns the health of the indexed ones
 * @throws DatabaseError
 */
export async function readHealth(
  sql: Sql,
  deployments: readonly string[],
): Promise<ReadonlyMap<string, DeploymentHealth>> {
  if (deployments.length === 0) return new Map();
  const rows = await sql.query(
    SQL`select ${healthRow.list}, ${headRow.list} from graphloom.deployments where deployment = any($1::text[])`,
    [arrayText(deployments)],
  );
  return new Map(rows.map(healthOf));
}

/**
 * Records why and when a deployment stopped. It counts as failed until a block is written or reverted, or it is retried.
 * @param deployment its number in the catalog
 * @throws DatabaseError
 */
export async function recordFatalError(sql: Sql, deployment: number, error: DeploymentError): Promise<void> {
  await sql.query(
    SQL`update graphloom.deployments set fatal_error = $2::jsonb || jsonb_build_object('at', ${milliseconds})
      where id = $1::integer`,
    [String(deployment), errorText(error)],
  );
}

/**
 * Records a failure after which the same block is retried: since when, and how often it has failed.
 * @param deployment its number in the catalog
 * @throws DatabaseError
 */
export async function recordRetriedError(
  sql: Sql,
  deployment: number,
  error: DeploymentError,
): Promise<void> {
  const isSame = SQL`fatal_error -> 'block' ->> 'number' = $2::jsonb -> 'block' ->> 'number'`;
  await sql.query(
    SQL`update graphloom.deployments set fatal_error = $2::jsonb || jsonb_build_object(
        'since', coalesce(case when ${isSame} then fatal_error -> 'since' end, to_jsonb(${milliseconds})),
        'attempts', coalesce(case when ${isSame} then (fatal_error ->> 'attempts')::integer end, 0) + 1)
      where id = $1::integer`,
    [String(deployment), errorText(error)],
  );
}

/**
 * Clears the reason why a deployment stopped, because it is retried. The failed block, which is empty, is no longer its
 * last block.
 * @throws DatabaseError
 */
export async function clearFatalError(database: Database, deployment: number): Promise<void> {
  await database.transaction(async (sql) => {
    // What another process has written meanwhile is seen only by a later statement.
    await sql.query(SQL`select from graphloom.deployments where id = $1::integer for update`, [
      String(deployment),
    ]);
    const [row] = await sql.query(
      SQL`with failed as (
        select id, head_number as number from graphloom.deployments
          where id = $1::integer and (fatal_error ->> 'deterministic')::boolean
            and (fatal_error -> 'block' ->> 'number')::integer = head_number
      ), taken as (
        delete from graphloom.recent_blocks b using failed f where b.deployment = f.id and b.number = f.number
      ), before as (
        select b.number, b.hash from graphloom.recent_blocks b join failed f on b.deployment = f.id and b.number < f.number
          order by b.number desc limit 1
      )
      update graphloom.deployments set fatal_error = null,
        head_number = case when exists (select from failed) then (select number from before) else head_number end,
        head_hash = case when exists (select from failed) then (select hash from before) else head_hash end
      where id = $1::integer and fatal_error is not null
      returning head_number, proof_variant`,
      [String(deployment)],
    );
    if (row?.proof_variant == null) return;
    // The failed block has no entities, but a proof.
    const proofs = { name: quoteNames(`sgd${deployment}`, proofsTable.name), layout: proofsTable };
    await revertVersions(sql, proofs, Number(row.head_number ?? -1));
  });
}

/** Records that a deployment has reached the chain head. @throws DatabaseError */
export async function recordSynced(sql: Sql, deployment: number): Promise<void> {
  await sql.query(
    SQL`update graphloom.deployments set synced_at = now() where id = $1::integer and synced_at is null`,
    [String(deployment)],
  );
}

/** Records failed handlers, in the transaction that writes their blocks. @throws DatabaseError */
export async function recordErrors(
  sql: Sql,
  deployment: number,
  errors: readonly HandlerError[],
): Promise<void> {
  const [first] = errors;
  if (!first) return;
  await sql.query(
    SQL`insert into graphloom.handler_errors (deployment, block, block_hash, message, handler, source, transaction_hash,
          log_index, place)
      select $1::integer, block, hash, message, handler, source, transaction, log, place
        from unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::integer[],
            $9::text[])
          with ordinality as r(block, hash, message, handler, source, transaction, log, place, n)
        order by n limit greatest(0, ${mostErrors} - (select count(*) from graphloom.handler_errors where deployment = $1::integer))`,
    [
      String(deployment),
      plainArrayText(errors.map(({ block }) => block.number)),
      arrayText(errors.map(({ block }) => block.hash)),
      arrayText(errors.map(({ message }) => keptText(message))),
      arrayText(errors.map(({ handler }) => keptText(handler))),
      arrayText(errors.map(({ source }) => keptText(source))),
      arrayText(errors.map(({ transactionHash }) => transactionHash ?? null)),
      plainArrayText(errors.map(({ logIndex }) => logIndex ?? null)),
      arrayText(errors.map(({ place }) => (place === undefined ? null : keptText(place)))),
    ],
  );
  await sql.query(
    SQL`update graphloom.deployments set first_error_block = coalesce(first_error_block, $2::integer) where id = $1::integer`,
    [String(deployment), String(first.block.number)],
  );
}

/** Deletes the failed handlers after a block, in the transaction that reverts the blocks. @throws DatabaseError */
export async function dropErrorsAfter(sql: Sql, deployment: number, block: number): Promise<void> {
  const own = [String(deployment), String(block)];
  await sql.query(
    SQL`delete from graphloom.handler_errors where deployment = $1::integer and block > $2::integer`,
    own,
  );
  await sql.query(
    SQL`update graphloom.deployments set first_error_block = null where id = $1::integer and first_error_block > $2::integer`,
    own,
  );
}

function errorText(error: DeploymentError): string {
  return JSON.stringify(error, (_, value) => (typeof value === "string" ? keptText(value) : value));
}

function healthOf(row: Row): readonly [deployment: string, health: DeploymentHealth] {
  const { deployment, fatalError, errors: kept = "[]", ...health } = healthRow.read(row);
  const errors: readonly Readonly<Record<string, string | number | null>>[] = JSON.parse(kept);
  const nonFatalErrors = errors.map((error) => ({
    message: String(error.message),
    block: { number: Number(error.block), hash: String(error.block_hash) },
    handler: String(error.handler),
    source: String(error.source),
    ...(error.place !== null && { place: String(error.place) }),
    ...(error.transaction_hash !== null && { transactionHash: String(error.transaction_hash) }),
    ...(error.log_index !== null && { logIndex: Number(error.log_index) }),
    deterministic: true,
  }));
  return [
    deployment,
    {
      ...health,
      ...(fatalError !== undefined && { fatalError: JSON.parse(fatalError) }),
      nonFatalErrors,
      ...(row.number !== null && { latestBlock: headRow.read(row) }),
    },
  ];
}
