import { bytesText } from "../../store/database/bytea.js";
import {
  boolean,
  bytes,
  cell,
  columns,
  computed,
  nullable,
  optional,
  type RowOf,
  text,
  time,
} from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import type { CarriedFiles } from "../../subgraph/carried-files.js";

/** Names a version or a tag of a subgraph in a project. */
export interface VersionName {
  readonly project: string;
  readonly name: string;
  /** A version, or a tag. */
  readonly version: string;
}

const versionRow = columns(
  {
    project: text,
    name: text,
    version: text,
    /** The version that a tag points to; `undefined` for a version itself. */
    target: optional(text),
    /** The IPFS hash of the manifest. */
    deployment: text,
    network: text,
    /** Which engine runs it. */
    engine: text,
    isPaused: boolean,
    description: nullable(text),
    hasPublicEndpoint: boolean,
    hasPrivateEndpoint: boolean,
    createdAt: time,
    /** When the version was deployed: of a tag, the version that it points to. */
    deployedAt: time,
  },
  "e",
);
const carriedRow = columns({
  map: computed(SQL`map_facts`, optional(bytes)),
  places: computed(SQL`config_places`, optional(bytes)),
});

/** A version of a subgraph, or a tag and the version it points to. */
export type SubgraphVersion = RowOf<typeof versionRow>;

/** A version to add, with its build. */
export interface NewVersion extends VersionName {
  readonly deployment: string;
  /** Zip of the build, stored once for all projects. */
  readonly bundle: Uint8Array;
  /** Additional files of the version itself. */
  readonly carried?: CarriedFiles;
  readonly network: string;
  readonly engine: string;
  /** The deployments whose entities it handles. */
  readonly sources?: readonly string[];
  readonly description: string | null;
  /** Whether anyone can query it from the start. True if left out. */
  readonly hasPublicEndpoint?: boolean;
  /** Whether keys can query it from the start. False if left out. */
  readonly hasPrivateEndpoint?: boolean;
}

/** Which part of a list to return: the entries after an entry. */
export interface VersionPage {
  readonly name?: string;
  readonly after?: { readonly name: string; readonly version: string };
  readonly limit: number;
}

/** The changeable settings of a version or tag; absent ones stay. */
export interface VersionChange {
  readonly description?: string;
  readonly hasPublicEndpoint?: boolean;
  readonly hasPrivateEndpoint?: boolean;
}

/** Versions and tags together, as rows `e`. */
export const entries = SQL`(
  select v.project, v.name, v.version, null::text as target, v.deployment, b.network, b.engine, v.is_paused,
      v.description, v.has_public_endpoint, v.has_private_endpoint, v.created_at,
      v.created_at as deployed_at
    from graphloom.versions v join graphloom.builds b using (deployment)
  union all
  select t.project, t.name, t.tag, t.version, v.deployment, b.network, b.engine, v.is_paused,
      t.description, t.has_public_endpoint, t.has_private_endpoint, t.created_at,
      v.created_at as deployed_at
    from graphloom.tags t join graphloom.versions v using (project, name, version)
      join graphloom.builds b using (deployment)) e`;
/** A version or a tag. @throws DatabaseError */
export async function findVersion(
  sql: Sql,
  { project, name, version }: VersionName,
): Promise<SubgraphVersion | undefined> {
  const [row] = await sql.query(
    SQL`select ${versionRow.list} from ${entries} where project = $1::text and name = $2::text and version = $3::text`,
    [project, name, version],
  );
  return row && versionRow.read(row);
}

/** Versions and tags of a project by name and then version, both compared as bytes. @throws DatabaseError */
export async function listVersions(
  sql: Sql,
  project: string,
  { name, after, limit }: VersionPage,
): Promise<readonly SubgraphVersion[]> {
  const rows = await sql.query(
    SQL`select ${versionRow.list} from ${entries} where project = $1::text and ($2::text is null or name = $2::text)
        and ($3::text is null or (name collate "C", version collate "C") > ($3::text, $4::text))
      order by name collate "C", version collate "C" limit $5::integer`,
    [project, name ?? null, after?.name ?? null, after?.version ?? null, String(limit)],
  );
  return rows.map(versionRow.read);
}

/** The newest version of a project that shows a deployment. @throws DatabaseError */
export async function findShowing(
  sql: Sql,
  project: string,
  deployment: string,
): Promise<SubgraphVersion | undefined> {
  const [row] = await sql.query(
    SQL`select ${versionRow.list} from ${entries} where project = $1::text and deployment = $2::text and target is null
      order by created_at desc, name collate "C", version collate "C" limit 1`,
    [project, deployment],
  );
  return row && versionRow.read(row);
}

/** The versions, not tags, that show a deployment, in any project. @throws DatabaseError */
export async function versionsOf(sql: Sql, deployment: string): Promise<readonly SubgraphVersion[]> {
  const rows = await sql.query(
    SQL`select ${versionRow.list} from ${entries} where deployment = $1::text and target is null
      order by project collate "C", name collate "C", version collate "C"`,
    [deployment],
  );
  return rows.map(versionRow.read);
}

/**
 * The versions of a project, not tags, that have a deployment as a source. Builds that an older version has stored are
 * left out until they are read.
 * @throws DatabaseError
 */
export async function composedVersions(
  sql: Sql,
  project: string,
  source: string,
): Promise<readonly SubgraphVersion[]> {
  const rows = await sql.query(
    SQL`select ${versionRow.list} from ${entries} where project = $1::text and target is null
        and deployment in (select deployment from graphloom.builds where sources @> array[$2::text])
      order by name collate "C", version collate "C"`,
    [project, source],
  );
  return rows.map(versionRow.read);
}

/**
 * Says what deleting a version does to composed subgraphs of its project: a sentence for each that then has no source.
 * @returns none while the project has another version with the deployment
 * @throws DatabaseError
 */
export async function lostSource(
  sql: Sql,
  { project, name, version, target, deployment }: SubgraphVersion,
): Promise<readonly string[]> {
  if (target !== undefined) return [];
  const shown = await versionsOf(sql, deployment);
  const own = shown.filter((one) => one.project === project);
  if (own.some((one) => one.name !== name || one.version !== version)) return [];
  return (await composedVersions(sql, project, deployment)).map(
    (composed) =>
      `${composed.name}/${composed.version} has ${name}/${version} as a source. Without it, ${composed.name}/${composed.version} indexes no further block until the source is deployed again.`,
  );
}

/** Stores the sources of a build that an older version has stored. @throws DatabaseError */
export async function learnSources(sql: Sql, deployment: string, sources: readonly string[]): Promise<void> {
  await sql.query(
    SQL`update graphloom.builds set sources = $2::text[] where deployment = $1::text and sources is null`,
    [deployment, arrayText(sources)],
  );
}

/**
 * Adds a version; equal builds are stored once.
 * @returns whether it was added: false if a version or a tag already has the name
 * @throws DatabaseError
 */
export async function addVersion(sql: Sql, added: NewVersion): Promise<boolean> {
  await lockName(sql, added);
  if (await findVersion(sql, added)) return false;
  // Locks an existing build, so that it is not dropped before the version shows it.
  await sql.query(
    SQL`insert into graphloom.builds as b (deployment, bundle, network, engine, sources)
      values ($1::text, $2::bytea, $3::text, $4::text, $5::text[])
      on conflict (deployment) do update set sources = coalesce(b.sources, excluded.sources)`,
    [
      added.deployment,
      bytesText(added.bundle),
      added.network,
      added.engine,
      added.sources ? arrayText(added.sources) : null,
    ],
  );
  await sql.query(
    SQL`insert into graphloom.versions (project, name, version, deployment, description,
        has_public_endpoint, has_private_endpoint, map_facts, config_places)
      values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::boolean, $7::boolean, $8::bytea, $9::bytea)`,
    [
      added.project,
      added.name,
      added.version,
      added.deployment,
      added.description,
      String(added.hasPublicEndpoint ?? true),
      String(added.hasPrivateEndpoint ?? false),
      ...carriedTexts(added.carried),
    ],
  );
  return true;
}

/** The additional files of a version, or of the version that a tag points to. @throws DatabaseError */
export async function readCarried(
  sql: Sql,
  { project, name, version, target = version }: VersionName & Pick<SubgraphVersion, "target">,
): Promise<CarriedFiles> {
  const [row] = await sql.query(
    SQL`select ${carriedRow.list} from graphloom.versions
      where project = $1::text and name = $2::text and version = $3::text`,
    [project, name, target],
  );
  return row ? carriedRow.read(row) : {};
}

/** Replaces the additional files of a version that is deployed again; absent ones stay. @throws DatabaseError */
export async function renewCarried(
  sql: Sql,
  { project, name, version, deployment }: VersionName & Pick<SubgraphVersion, "deployment">,
  carried: CarriedFiles,
): Promise<void> {
  await sql.query(
    SQL`update graphloom.versions set map_facts = coalesce($5::bytea, map_facts),
        config_places = coalesce($6::bytea, config_places)
      where project = $1::text and name = $2::text and version = $3::text and deployment = $4::text`,
    [project, name, version, deployment, ...carriedTexts(carried)],
  );
}

function carriedTexts({ map, places }: CarriedFiles = {}): readonly (string | null)[] {
  return [map ? bytesText(map) : null, places ? bytesText(places) : null];
}

/**
 * Changes the version or tag with a name.
 * @throws DatabaseError
 */
export async function changeVersion(
  sql: Sql,
  { project, name, version }: VersionName,
  { description, hasPublicEndpoint, hasPrivateEndpoint }: VersionChange,
): Promise<void> {
  const change = SQL`set description = coalesce($4::text, description),
      has_public_endpoint = coalesce($5::boolean, has_public_endpoint),
      has_private_endpoint = coalesce($6::boolean, has_private_endpoint)
    where project = $1::text and name = $2::text`;
  const flags = [flag(hasPublicEndpoint), flag(hasPrivateEndpoint)];
  const parameters = [project, name, version, description ?? null, ...flags];
  await sql.query(SQL`update graphloom.versions ${change} and version = $3::text`, parameters);
  await sql.query(SQL`update graphloom.tags ${change} and tag = $3::text`, parameters);
}

/** Pauses a version, or resumes it. @returns whether there is one @throws DatabaseError */
export async function setPaused(
  sql: Sql,
  { project, name, version }: VersionName,
  isPaused: boolean,
): Promise<boolean> {
  const rows = await sql.query(
    SQL`update graphloom.versions set is_paused = $4::boolean
      where project = $1::text and name = $2::text and version = $3::text returning 1 as one`,
    [project, name, version, String(isPaused)],
  );
  return rows.length > 0;
}

/**
 * Creates a tag, which is as public as its version, or moves it to another version without changing its visibility.
 * @returns whether this succeeded: false if a version has the name, or the target version does not exist
 * @throws DatabaseError
 */
export async function setTag(sql: Sql, tag: VersionName, target: string): Promise<boolean> {
  const { project, name, version } = tag;
  await lockName(sql, tag);
  const taken = await findVersion(sql, tag);
  const aim = await findVersion(sql, { project, name, version: target });
  if ((taken && taken.target === undefined) || !aim || aim.target !== undefined) return false;
  await sql.query(
    SQL`insert into graphloom.tags (project, name, tag, version, has_public_endpoint, has_private_endpoint)
      values ($1::text, $2::text, $3::text, $4::text, $5::boolean, $6::boolean)
      on conflict (project, name, tag) do update set version = excluded.version`,
    [project, name, version, target, String(aim.hasPublicEndpoint), String(aim.hasPrivateEndpoint)],
  );
  return true;
}

/** Deletes a tag. @returns whether there was one @throws DatabaseError */
export async function deleteTag(sql: Sql, { project, name, version }: VersionName): Promise<boolean> {
  const rows = await sql.query(
    SQL`delete from graphloom.tags where project = $1::text and name = $2::text and tag = $3::text returning 1 as one`,
    [project, name, version],
  );
  return rows.length > 0;
}

/** The tags that point to a version. @throws DatabaseError */
export async function tagsOf(sql: Sql, { project, name, version }: VersionName): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select tag from graphloom.tags where project = $1::text and name = $2::text and version = $3::text
      order by tag collate "C"`,
    [project, name, version],
  );
  return rows.map((row) => cell(row, "tag"));
}

/**
 * Deletes a version; nothing may refer to it. The build stays until no version shows it (`dropUnusedBuilds`).
 * @returns whether there was one
 * @throws DatabaseError
 */
export async function deleteVersion(sql: Sql, { project, name, version }: VersionName): Promise<boolean> {
  const rows = await sql.query(
    SQL`delete from graphloom.versions where project = $1::text and name = $2::text and version = $3::text
      returning 1 as one`,
    [project, name, version],
  );
  return rows.length > 0;
}

/**
 * Makes others that would refer to a version or a tag wait until the transaction ends. References made
 * earlier are visible afterwards.
 * @throws DatabaseError
 */
export async function holdEntry(sql: Sql, { project, name, version }: VersionName): Promise<void> {
  await lockName(sql, { project, name });
  for (const rows of [SQL`graphloom.versions where version`, SQL`graphloom.tags where tag`])
    await sql.query(
      SQL`select from ${rows} = $3::text and project = $1::text and name = $2::text for update`,
      [project, name, version],
    );
}

/**
 * Keeps a version or a tag from being deleted until the transaction ends.
 * @returns whether it exists @throws DatabaseError
 */
export async function keepEntry(sql: Sql, { project, name, version }: VersionName): Promise<boolean> {
  for (const rows of [SQL`graphloom.versions where version`, SQL`graphloom.tags where tag`]) {
    const kept = await sql.query(
      SQL`select 1 as one from ${rows} = $3::text and project = $1::text and name = $2::text for key share`,
      [project, name, version],
    );
    if (kept.length > 0) return true;
  }
  return false;
}

/**
 * Keeps the versions of a project that show a deployment from being deleted until the transaction ends.
 * @returns whether there are any @throws DatabaseError
 */
export async function keepShown(sql: Sql, project: string, deployment: string): Promise<boolean> {
  const kept = await sql.query(
    SQL`select 1 as one from graphloom.versions where project = $1::text and deployment = $2::text for key share`,
    [project, deployment],
  );
  return kept.length > 0;
}

/**
 * Locks the versions and tags of a name against all other changes until the transaction ends. @throws
 * DatabaseError
 */
export async function lockName(sql: Sql, { project, name }: Omit<VersionName, "version">): Promise<void> {
  await sql.query(SQL`select pg_advisory_xact_lock(hashtextextended($1::text, 0))`, [`${project}/${name}`]);
}

function flag(value: boolean | undefined): string | null {
  return value === undefined ? null : String(value);
}
