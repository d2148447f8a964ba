import {
  boolean,
  cell,
  columns,
  computed,
  optional,
  type RowOf,
  text,
} from "../../store/database/columns.js";
import { type Row, SQL, type Sql } from "../../store/database/database.js";
import { entries, type VersionName } from "./versions.js";

const endpointRow = columns(
  {
    /** The oldest project, if several have made the same deployment public. */
    project: text,
    /** The IPFS hash of the manifest. */
    deployment: text,
    /** Which engine runs it. */
    engine: text,
    hasPublicEndpoint: boolean,
    hasPrivateEndpoint: boolean,
    headHash: computed(SQL`d.head_hash`, optional(text)),
    // Every change to a deployment writes its row in the same transaction, and each write has its own number.
    stamp: computed(SQL`d.id || '-' || d.xmin::text`, optional(text)),
  },
  "e",
);
const publicRow = columns(
  {
    deployment: text,
    engine: text,
    network: text,
    /** Whether all its public versions and tags are paused. */
    isPaused: computed(SQL`bool_and(e.is_paused)`, boolean),
  },
  "e",
);

/** The target of an address for queries. */
export interface Endpoint extends Omit<RowOf<typeof endpointRow>, "headHash" | "stamp"> {
  /** The indexed state; absent before the first block, and for deployments that the catalog does not know. */
  readonly indexed?: IndexedState;
}

/** Identifies one state of a deployment. Everything that an answer depends on changes it. */
export interface IndexedState {
  /** Changes with every written or reverted block, every pruning of history, and every new or resolved error. */
  readonly stamp: string;
  /** The hash of the last block. */
  readonly headHash: string;
}

const from = SQL`from ${entries} left join graphloom.deployments d on d.deployment = e.deployment`;

/** Finds the endpoint of a version or a tag. @throws DatabaseError */
export async function findEndpoint(
  sql: Sql,
  { project, name, version }: VersionName,
): Promise<Endpoint | undefined> {
  const [row] = await sql.query(
    SQL`select ${endpointRow.list} ${from} where e.project = $1::text and e.name = $2::text and e.version = $3::text`,
    [project, name, version],
    { isFixed: true },
  );
  return row && endpointOf(row);
}

/**
 * Finds the public endpoint of a name without a project. The oldest project with the name has precedence. Without a
 * version, it is the newest version that is synced, or else the newest.
 * @throws DatabaseError
 */
export async function findPublicName(
  sql: Sql,
  name: string,
  version: string | undefined,
): Promise<Endpoint | undefined> {
  const [row] = await sql.query(
    SQL`select ${endpointRow.list} ${from} join graphloom.projects p on p.id = e.project
      where e.name = $1::text and e.has_public_endpoint
        and case when $2::text is null then e.target is null else e.version = $2::text end
      order by p.created_at, p.id, (d.synced_at is not null) desc, e.created_at desc, e.version limit 1`,
    [name, version ?? null],
    { isFixed: true },
  );
  return row && endpointOf(row);
}

/** Finds a deployment that a version or tag makes public. @throws DatabaseError */
export async function findPublicDeployment(sql: Sql, deployment: string): Promise<Endpoint | undefined> {
  const [row] = await sql.query(
    SQL`select ${endpointRow.list} ${from} where e.deployment = $1::text and e.has_public_endpoint
      order by e.created_at, e.project, e.name, e.version limit 1`,
    [deployment],
    { isFixed: true },
  );
  return row && endpointOf(row);
}

/** Which endpoints of versions and tags count. */
export type Openness = "any" | "public";

/** Whether one of them is on; `$1` says whether only public ones count. */
const isOpen = SQL`(e.has_public_endpoint or (not $1::boolean and e.has_private_endpoint))`;

/**
 * Finds the endpoint of a name in a project, if it has an enabled one. Without a version, this is the newest synced
 * version, or else the newest one.
 * @throws DatabaseError
 */
export async function findProjectName(
  sql: Sql,
  project: string,
  name: string,
  version: string | undefined,
  openness: Openness = "any",
): Promise<Endpoint | undefined> {
  const [row] = await sql.query(
    SQL`select ${endpointRow.list} ${from}
      where ${isOpen} and e.project = $2::text and e.name = $3::text
        and case when $4::text is null then e.target is null else e.version = $4::text end
      order by (d.synced_at is not null) desc, e.created_at desc, e.version limit 1`,
    [String(openness === "public"), project, name, version ?? null],
    { isFixed: true },
  );
  return row && endpointOf(row);
}

/** Finds a deployment that a version or tag of a project shows, if any endpoint of it is on. @throws DatabaseError */
export async function findProjectDeployment(
  sql: Sql,
  project: string,
  deployment: string,
): Promise<Endpoint | undefined> {
  const [row] = await sql.query(
    SQL`select ${endpointRow.list} ${from}
      where ${isOpen} and e.project = $2::text and e.deployment = $3::text
      order by e.created_at, e.name, e.version limit 1`,
    ["false", project, deployment],
    { isFixed: true },
  );
  return row && endpointOf(row);
}

/** Lists all deployments that versions of a project show, oldest first. @throws DatabaseError */
export async function listProjectDeployments(
  sql: Sql,
  project: string,
): Promise<readonly PublicDeployment[]> {
  const rows = await sql.query(
    SQL`select ${publicRow.list} from ${entries}
      where e.project = $1::text group by 1, 2, 3 order by min(e.created_at), e.deployment`,
    [project],
  );
  return rows.map(publicRow.read);
}

/** The deployments of a name's versions in a project, newest first. @throws DatabaseError */
export async function projectVersionsOf(
  sql: Sql,
  project: string,
  name: string,
  openness: Openness = "any",
): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select e.deployment from ${entries}
      where ${isOpen} and e.project = $2::text and e.name = $3::text and e.target is null
      order by e.created_at desc, e.version`,
    [String(openness === "public"), project, name],
  );
  return [...new Set(rows.map((row) => cell(row, "deployment")))];
}

/** A deployment that a version or tag makes public. */
export type PublicDeployment = RowOf<typeof publicRow>;

/** Lists all deployments that a version or tag makes public, oldest first. @throws DatabaseError */
export async function listPublicDeployments(sql: Sql): Promise<readonly PublicDeployment[]> {
  const rows = await sql.query(
    SQL`select ${publicRow.list} from ${entries}
      where e.has_public_endpoint group by 1, 2, 3 order by min(e.created_at), e.deployment`,
  );
  return rows.map(publicRow.read);
}

/** The deployments of a name's public versions in its project, newest first. @throws DatabaseError */
export async function publicVersionsOf(sql: Sql, name: string): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select e.deployment from ${entries} join graphloom.projects p on p.id = e.project
      where e.name = $1::text and e.has_public_endpoint and e.target is null
        and p.id = (select p.id from ${entries} join graphloom.projects p on p.id = e.project
          where e.name = $1::text and e.has_public_endpoint and e.target is null
          order by p.created_at, p.id limit 1)
      order by e.created_at desc, e.version`,
    [name],
  );
  return [...new Set(rows.map((row) => cell(row, "deployment")))];
}

function endpointOf(row: Row): Endpoint {
  const { headHash, stamp, ...endpoint } = endpointRow.read(row);
  return {
    ...endpoint,
    ...(headHash !== undefined && stamp !== undefined && { indexed: { stamp, headHash } }),
  };
}
