import { createProject, listProjects } from "../../../src/platform/people/projects.js";
import { addVersion, changeVersion } from "../../../src/platform/subgraphs/versions.js";
import { type Database, SQL } from "../../../src/store/database/database.js";

/** A version to add to a catalog. */
export interface AddedEntry {
  readonly project?: string;
  readonly name: string;
  readonly version: string;
  readonly deployment: string;
  readonly engine?: string;
  readonly isPublic?: boolean;
  readonly isPrivate?: boolean;
}

/** Adds a version, and its project if it does not exist yet. */
export async function addEntry(
  database: Database,
  { project = "project_1", name, version, deployment, engine = "embedded", isPublic, isPrivate }: AddedEntry,
): Promise<void> {
  const projects = await listProjects(database);
  if (!projects.some(({ id }) => id === project))
    await createProject(database, { id: project, name: project });
  await database.transaction((sql) =>
    addVersion(sql, {
      project,
      name,
      version,
      deployment,
      engine,
      bundle: new Uint8Array(),
      network: "mainnet",
      description: null,
    }),
  );
  await changeVersion(
    database,
    { project, name, version },
    {
      ...(isPublic !== undefined && { hasPublicEndpoint: isPublic }),
      ...(isPrivate !== undefined && { hasPrivateEndpoint: isPrivate }),
    },
  );
}

/** Sets the head of a deployment. @param hash hex with 0x */
export async function setHead(
  database: Database,
  deployment: string,
  number: number,
  hash: string,
): Promise<void> {
  await database.query(
    SQL`insert into graphloom.deployments (deployment, network, schema, start_block, earliest_block, head_number, head_hash)
      values ($1::text, 'mainnet', '', 10, 10, $2::integer, $3::text)
      on conflict (deployment) do update set head_number = excluded.head_number, head_hash = excluded.head_hash`,
    [deployment, String(number), hash],
  );
}
