import { present } from "../../base/invariant.js";
import type { Database } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import { randomId } from "../sealing/hashed.js";
import {
  type ApiKey,
  addApiKey,
  findApiKeyById,
  listApiKeys,
  mayActAs,
  type Role,
  revokeApiKey,
} from "./api-keys.js";
import { type Doer, noteDeed } from "./doer.js";
import { makeKey } from "./first-project.js";
import { holdCaller } from "./hold-caller.js";
import { listMembers } from "./members.js";

/**
 * Creates a key of the project.
 * @param name without surrounding blanks
 * @returns the key with its secret, which is only shown this once
 * @throws Problem `forbidden` for a role above the caller's, and for a caller whose role was just lowered;
 * DatabaseError
 */
export async function createKey(
  database: Database,
  doer: Doer,
  { name, role }: { readonly name: string; readonly role: Role },
): Promise<ApiKey & { readonly key: string }> {
  const { project, role: own, kind, id: by, name: called } = doer.caller;
  if (!mayActAs(own, role))
    throw new Problem("forbidden", `You cannot grant the role ${role}: your own role is ${own}.`);
  const key = makeKey();
  const id = randomId("key");
  return database.transaction(async (sql) => {
    await holdCaller(sql, doer.caller);
    await addApiKey(sql, { id, project, name, role, key, maker: { kind, id: by, name: called } });
    await noteDeed(sql, doer, "key.create", `${name} (${id}) as ${role}`);
    const added = present(await findApiKeyById(sql, id), `the key ${id} was just made`);
    return { ...added, key };
  });
}

/**
 * Revokes a key of the project.
 * @throws Problem `not-found`, `forbidden` for a role above the caller's, `unprocessable` for the last Owner access to
 *   the project; DatabaseError
 */
export async function revokeKey(database: Database, doer: Doer, id: string): Promise<void> {
  const { project, role: own } = doer.caller;
  await database.transaction(async (sql) => {
    await holdCaller(sql, doer.caller);
    const keys = (await listApiKeys(sql, project)).filter(({ revokedAt }) => !revokedAt);
    const found = keys.find((key) => key.id === id);
    if (!found)
      throw new Problem("not-found", "The project has no such API key, or the key is already revoked.");
    if (!mayActAs(own, found.role)) {
      throw new Problem(
        "forbidden",
        `You cannot revoke a key with the role ${found.role}: your own role is ${own}.`,
      );
    }
    const others = [...keys.filter((key) => key.id !== id), ...(await listMembers(sql, project))];
    if (found.role === "Owner" && !others.some(({ role }) => role === "Owner")) {
      throw new Problem(
        "unprocessable",
        "This is the project's last Owner key, and no member of the project is an Owner. Create another Owner key first.",
      );
    }
    await revokeApiKey(sql, project, id);
    await noteDeed(sql, doer, "key.revoke", `${found.name} (${id})`);
  });
}
