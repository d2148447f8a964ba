import type { Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import type { VersionName } from "./versions.js";

/** Finds references to a version or a tag, in words: `the webhook "swaps"`. */
export type References = (sql: Sql, version: VersionName) => Promise<readonly string[]>;

/** @throws Problem `in-use` if there are references to a version or tag that is to be deleted; DatabaseError */
export async function requireUnused(
  sql: Sql,
  version: VersionName,
  references: readonly References[],
): Promise<void> {
  const users = (await Promise.all(references.map((find) => find(sql, version)))).flat();
  if (users.length === 0) return;
  const name = `${version.name}/${version.version}`;
  throw new Problem("in-use", `"${name}" is still used by ${users.join(", ")}. Delete that first.`);
}
