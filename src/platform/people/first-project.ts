import { type Database, SQL, type Sql } from "../../store/database/database.js";
import { randomId, randomToken } from "../sealing/hashed.js";
import { type ApiKey, addApiKey, listApiKeys } from "./api-keys.js";
import { createProject, listProjects } from "./projects.js";

/** The project of a server, and the key that was just created for it. */
export interface OwnedProject {
  readonly id: string;
  /** The owner's new key; only its hash is stored. Absent if no key was created. */
  readonly key?: string;
}

/** The id of our advisory lock in the database. */
const lock = SQL`7236540195`;

/**
 * Finds the first project of a database, or creates it with a key for its owner.
 * @param wantsKey whether to create a key for an existing project, too
 * @throws DatabaseError
 */
export async function firstProject(database: Database, wantsKey = false): Promise<OwnedProject> {
  return database.transaction(async (sql) => {
    await sql.query(SQL`select pg_advisory_xact_lock(${lock})`);
    const [known] = await listProjects(sql);
    if (known) return { id: known.id, ...(wantsKey && { key: await ownerKey(sql, known.id) }) };
    const id = randomId("project");
    await createProject(sql, { id, name: "default" });
    return { id, key: await ownerKey(sql, id) };
  });
}

/** An Owner key of the first project that is not revoked. @throws DatabaseError */
export async function findOwner(sql: Sql): Promise<ApiKey | undefined> {
  const [project] = await listProjects(sql);
  const keys = project ? await listApiKeys(sql, project.id) : [];
  return keys.find(({ role, revokedAt }) => role === "Owner" && !revokedAt);
}

async function ownerKey(sql: Sql, project: string): Promise<string> {
  const key = makeKey();
  const id = randomId("key");
  await addApiKey(sql, { id, project, name: "made by graphloom serve", role: "Owner", key });
  return key;
}

/** A key of 192 random bits: `gl_…`. */
export function makeKey(): string {
  return randomToken("gl");
}
