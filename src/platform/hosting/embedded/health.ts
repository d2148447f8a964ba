import { isRecord, parseJson } from "../../../base/json-value.js";
import type { Row, Sql } from "../../database/database.js";
import { arrayText } from "../../database/sql-array.js";
import type { HostedError } from "../engine.js";

/** Why a deployment does not go on, as the catalog keeps it. */
export interface FatalError {
  readonly message: string;
  readonly block?: { readonly number: number; readonly hash?: string };
  readonly handler?: string;
  /** The name of the handler's data source or template. */
  readonly source?: string;
  /** `src/pool.ts:12:3`. */
  readonly place?: string;
  readonly transactionHash?: string;
  readonly logIndex?: number;
  /** Whether it would be the same with every attempt. */
  readonly deterministic: boolean;
}

/** What the catalog knows of how it goes with a deployment. */
export interface StoredState {
  readonly startBlock: number;
  readonly headBlock?: number;
  readonly isSynced: boolean;
  readonly fatalError?: HostedError;
}

const longestMessage = 10_000;

/** Notes why a deployment does not go on. @param deployment the IPFS hash of the manifest @throws DatabaseError */
export async function recordFailure(sql: Sql, deployment: string, error: FatalError): Promise<void> {
  await sql.query("update graphloom.deployments set fatal_error = $2::jsonb where deployment = $1::text", [
    deployment,
    // What is half of a character becomes the sign for it.
    Buffer.from(JSON.stringify({ ...error, message: keptText(error.message) })).toString(),
  ]);
}

/** Forgets why a deployment did not go on, since it is tried again. @throws DatabaseError */
export async function clearFailure(sql: Sql, deployment: string): Promise<void> {
  await sql.query(
    "update graphloom.deployments set fatal_error = null where deployment = $1::text and fatal_error is not null",
    [deployment],
  );
}

/** Notes that a deployment has reached the chain head once. @throws DatabaseError */
export async function recordSynced(sql: Sql, deployment: string): Promise<void> {
  await sql.query(
    "update graphloom.deployments set synced_at = now() where deployment = $1::text and synced_at is null",
    [deployment],
  );
}

/** What the catalog knows of deployments; those that were never indexed are left out. @throws DatabaseError */
export async function readStates(
  sql: Sql,
  deployments: readonly string[],
): Promise<ReadonlyMap<string, StoredState>> {
  if (deployments.length === 0) return new Map();
  const rows = await sql.query(
    `select deployment, start_block, head_number, fatal_error, synced_at is not null as synced
      from graphloom.deployments where deployment = any($1::text[])`,
    [arrayText(deployments)],
  );
  return new Map(rows.map((row) => [row.deployment ?? "", stateOf(row)]));
}

function stateOf({ start_block: start, head_number: head, fatal_error: fatal, synced }: Row): StoredState {
  return {
    startBlock: Number(start),
    ...(head != null && { headBlock: Number(head) }),
    isSynced: synced === "t",
    ...(fatal != null && { fatalError: hostedErrorOf(parseJson(fatal)) }),
  };
}

/** An error of the catalog as an engine tells it. */
export function hostedErrorOf(error: unknown): HostedError {
  if (!isRecord(error)) return { message: String(error) };
  const { message, block, handler, place, deterministic } = error;
  const text = String(message);
  const number = isRecord(block) ? block.number : undefined;
  const found = typeof place === "string" ? place : placeIn(text);
  return {
    message: text,
    ...(typeof number === "number" && { block: number }),
    ...(typeof handler === "string" && { handler }),
    ...(found !== undefined && { place: found }),
    ...(typeof deterministic === "boolean" && { isDeterministic: deterministic }),
  };
}

/** The place that an aborted mapping tells of. */
function placeIn(message: string): string | undefined {
  const [, file, line, column] =
    /^Mapping aborted at (\S+), line (\d+)(?:, column (\d+))?, with /.exec(message) ?? [];
  return file === undefined ? undefined : [file, line, column].filter((part) => part !== undefined).join(":");
}

function keptText(message: string): string {
  return message.slice(0, longestMessage).replaceAll("\0", "\u2400");
}
