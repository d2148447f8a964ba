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
    /** The IPFS hash of the manifest. */
    deployment: text,
    /** Which engine runs it. */
    engine: text,
    hasPublicEndpoint: boolean,
    hasPrivateEndpoint: boolean,
    headHash: computed(SQL`d.head_hash`, optional(text)),
    // Everything that moves a deployment writes its row, in the same transaction; each writing has a number of its own.
    stamp: computed(SQL`d.id || '-' || d.xmin::text`, optional(text)),
  },
  "e",
);
const publicRow = columns(
  {
    deployment: text,
    engine: text,
    network: text,
    /** Whether all that is public of it is paused. */
    isPaused: computed(SQL`bool_and(e.is_paused)`, boolean),
  },
  "e",
);

/** What is found at an address that queries are sent to. */
export interface Endpoint extends Omit<RowOf<typeof endpointRow>, "headHash" | "stamp"> {
  /** What was indexed; nothing before the first block, and of what the catalog knows nothing about. */
  readonly indexed?: IndexedState;
}

/** Names one state of a deployment: whatever an answer may depend on changes it. */
export interface IndexedState {
  /** Never the same again after a block was written or reverted, history was cut, or an error was met or overcome. */
  readonly stamp: string;
  /** Of the last block. */
  readonly headHash: string;
}

const from = SQL`from ${entries} left join graphloom.deployments d on d.deployment = e.deployment`;

/** What is at the addresses of a version or a tag. @throws DatabaseError */
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
 * What a name alone leads to, among what has a public endpoint: of several projects that of the oldest. Without a
 * version it is the newest that has caught up with its chain, or else the newest.
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

/** A deployment that some version or tag makes public. @throws DatabaseError */
export async function findPublicDeployment(sql: Sql, deployment: string): Promise<Endpoint | undefined> {
  const [row] = await sql.query(
    SQL`select ${endpointRow.list} ${from} where e.deployment = $1::text and e.has_public_endpoint limit 1`,
    [deployment],
    { isFixed: true },
  );
  return row && endpointOf(row);
}

/** A deployment that somebody made public. */
export type PublicDeployment = RowOf<typeof publicRow>;

/** All deployments that some version or tag makes public, oldest first. @throws DatabaseError */
export async function listPublicDeployments(sql: Sql): Promise<readonly PublicDeployment[]> {
  const rows = await sql.query(
    SQL`select ${publicRow.list} from ${entries}
      where e.has_public_endpoint group by 1, 2, 3 order by min(e.created_at), e.deployment`,
  );
  return rows.map(publicRow.read);
}

/** The deployments of a name's public versions in the project that has it, newest first. @throws DatabaseError */
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
