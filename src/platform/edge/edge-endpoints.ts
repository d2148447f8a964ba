import { bytesText } from "../../store/database/bytea.js";
import {
  bytes,
  cell,
  columns,
  computed,
  nullable,
  oneOf,
  optional,
  type RowOf,
  text,
  texts,
  time,
} from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { hashOf } from "../sealing/hashed.js";

/** What an endpoint gives access to: chain nodes, or the data service. */
export type EdgeProduct = "rpc" | "data";

export interface EdgeName {
  readonly project: string;
  readonly name: string;
}

const endpointRow = columns({
  project: text,
  name: text,
  product: oneOf<EdgeProduct>(["rpc", "data"]),
  /** Its key, encrypted. */
  sealedKey: bytes,
  /** The name of the tier that limits its requests; null for no limit. */
  budget: computed(SQL`rate_limit_budget`, nullable(text)),
  /** Hosts of the pages that may use it; all may when it is empty. */
  domains: computed(SQL`allowed_domains`, texts),
  createdAt: time,
  updatedAt: time,
  pausedAt: optional(time),
});

/** An API key that gives access to chain nodes or the data service. */
export type EdgeEndpoint = RowOf<typeof endpointRow>;

/** An endpoint to be added. */
export interface NewEdgeEndpoint
  extends Pick<EdgeEndpoint, "project" | "name" | "product" | "sealedKey" | "budget" | "domains"> {
  /** The key that clients send. The server finds the endpoint by its hash. */
  readonly key: string;
}

/** The number of requests to an endpoint in a period. */
export interface EdgeCount {
  /** The start of the period, in milliseconds since 1970. */
  readonly time: number;
  readonly requests: number;
  readonly errors: number;
}

/** Adds an endpoint. @returns false when the project already has one with the name @throws DatabaseError */
export async function addEdgeEndpoint(sql: Sql, added: NewEdgeEndpoint): Promise<boolean> {
  const rows = await sql.query(
    SQL`insert into graphloom.edge_endpoints
        (project, name, product, key_hash, sealed_key, rate_limit_budget, allowed_domains)
      values ($1::text, $2::text, $3::text, $4::text, $5::bytea, $6::text, $7::text[])
      on conflict (project, name) do nothing returning name`,
    [
      added.project,
      added.name,
      added.product,
      hashOf(added.key),
      bytesText(added.sealedKey),
      added.budget,
      arrayText([...added.domains]),
    ],
  );
  return rows.length > 0;
}

/** An endpoint of a project. @throws DatabaseError */
export async function findEdgeEndpoint(
  sql: Sql,
  { project, name }: EdgeName,
): Promise<EdgeEndpoint | undefined> {
  const [row] = await sql.query(
    SQL`select ${endpointRow.list} from graphloom.edge_endpoints where project = $1::text and name = $2::text`,
    [project, name],
  );
  return row && endpointRow.read(row);
}

/** The endpoint that a key belongs to. @throws DatabaseError */
export async function edgeEndpointOf(sql: Sql, key: string): Promise<EdgeEndpoint | undefined> {
  const [row] = await sql.query(
    SQL`select ${endpointRow.list} from graphloom.edge_endpoints where key_hash = $1::text`,
    [hashOf(key)],
    { isFixed: true },
  );
  return row && endpointRow.read(row);
}

/**
 * The endpoints of a project by name.
 * @param page at most `limit` endpoints, from the first name after `after`; all by default
 * @throws DatabaseError
 */
export async function listEdgeEndpoints(
  sql: Sql,
  project: string,
  product?: string,
  { after = "", limit }: { readonly after?: string; readonly limit?: number } = {},
): Promise<readonly EdgeEndpoint[]> {
  const rows = await sql.query(
    SQL`select ${endpointRow.list} from graphloom.edge_endpoints
      where project = $1::text and ($2::text is null or product = $2::text) and name collate "C" > $3::text
      order by name collate "C" limit $4::int`,
    [project, product ?? null, after, limit === undefined ? null : String(limit)],
  );
  return rows.map(endpointRow.read);
}

/** The changeable fields of an endpoint. Absent fields keep their values. */
export interface EdgeChange {
  readonly budget?: string | null;
  readonly domains?: readonly string[];
  readonly isPaused?: boolean;
}

/** Changes an endpoint. @returns the changed endpoint; `undefined` if it does not exist @throws DatabaseError */
export async function changeEdgeEndpoint(
  sql: Sql,
  { project, name }: EdgeName,
  { budget, domains, isPaused }: EdgeChange,
): Promise<EdgeEndpoint | undefined> {
  const [row] = await sql.query(
    SQL`update graphloom.edge_endpoints set updated_at = now(),
        rate_limit_budget = case when $3::boolean then $4::text else rate_limit_budget end,
        allowed_domains = coalesce($5::text[], allowed_domains),
        paused_at = case when $6::boolean is null then paused_at when $6::boolean then coalesce(paused_at, now()) end
      where project = $1::text and name = $2::text returning ${endpointRow.list}`,
    [
      project,
      name,
      String(budget !== undefined),
      budget ?? null,
      domains ? arrayText([...domains]) : null,
      isPaused === undefined ? null : String(isPaused),
    ],
  );
  return row && endpointRow.read(row);
}

/** Deletes an endpoint, which makes its key invalid. @returns whether it existed @throws DatabaseError */
export async function deleteEdgeEndpoint(sql: Sql, { project, name }: EdgeName): Promise<boolean> {
  const rows = await sql.query(
    SQL`delete from graphloom.edge_endpoints where project = $1::text and name = $2::text returning name`,
    [project, name],
  );
  return rows.length > 0;
}

/** Adds to the counts of an endpoint for a minute. Does nothing when the endpoint no longer exists. @throws DatabaseError */
export async function countEdgeRequests(
  sql: Sql,
  { project, name }: EdgeName,
  { time, requests, errors }: EdgeCount,
): Promise<void> {
  await sql.query(
    SQL`insert into graphloom.edge_counts (project, name, minute, requests, errors)
      select project, name, $3::bigint, $4::bigint, $5::bigint from graphloom.edge_endpoints
        where project = $1::text and name = $2::text
      on conflict (project, name, minute) do update set
        requests = edge_counts.requests + excluded.requests, errors = edge_counts.errors + excluded.errors`,
    [project, name, String(Math.floor(time / 60_000)), String(requests), String(errors)],
  );
}

/**
 * Returns the counts of an endpoint by period, oldest first. Periods without a request are left out.
 * @param span length of a period in minutes @throws DatabaseError
 */
export async function readEdgeCounts(
  sql: Sql,
  { project, name }: EdgeName,
  { from, to, span }: { readonly from: number; readonly to: number; readonly span: number },
): Promise<readonly EdgeCount[]> {
  const rows = await sql.query(
    SQL`select minute / $5::bigint * $5::bigint as minute, sum(requests)::bigint as requests, sum(errors)::bigint as errors
      from graphloom.edge_counts
      where project = $1::text and name = $2::text and minute >= $3::bigint and minute < $4::bigint
      group by 1 order by 1`,
    [project, name, String(Math.floor(from / 60_000)), String(Math.ceil(to / 60_000)), String(span)],
  );
  return rows.map(({ minute, requests, errors }) => ({
    time: Number(minute) * 60_000,
    requests: Number(requests),
    errors: Number(errors),
  }));
}

/** The requests to some endpoints of a project since a time in milliseconds since 1970, by name. @throws DatabaseError */
export async function sumEdgeCounts(
  sql: Sql,
  project: string,
  names: readonly string[],
  from: number,
): Promise<ReadonlyMap<string, Pick<EdgeCount, "requests" | "errors">>> {
  const rows = await sql.query(
    SQL`select name, sum(requests)::bigint as requests, sum(errors)::bigint as errors from graphloom.edge_counts
      where project = $1::text and name = any($2::text[]) and minute >= $3::bigint group by name`,
    [project, arrayText([...names]), String(Math.floor(from / 60_000))],
  );
  return new Map(
    rows.map((row) => [cell(row, "name"), { requests: Number(row.requests), errors: Number(row.errors) }]),
  );
}
