import type { Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import type { Caller } from "./access.js";
import { findApiKeyById, mayActAs } from "./api-keys.js";
import { listMembers } from "./members.js";
import { holdProject } from "./projects.js";

/**
 * Makes other changes of the project's members and keys wait until the transaction ends, and checks that the
 * caller still has the role with which the request was admitted. Otherwise a member who was just removed
 * could give access to others.
 * @throws Problem `forbidden`; DatabaseError
 */
export async function holdCaller(sql: Sql, { kind, id, project, role }: Caller): Promise<void> {
  await holdProject(sql, project);
  const found =
    kind === "key"
      ? await findApiKeyById(sql, id)
      : (await listMembers(sql, project)).find((member) => member.id === id);
  if (found && mayActAs(found.role, role)) return;
  throw new Problem(
    "forbidden",
    "Your access to the project has just changed. Reload what you see, then try again.",
  );
}
