import { forgetAskedPause } from "../../store/deployments/graph-node-deployments.js";
import { type Caller, requireRole } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { type EntryName, nameIn, requireEntry, requireVersion } from "./find-subgraph.js";
import { type References, requireUnused } from "./references.js";
import {
  changeVersion,
  deleteVersion,
  holdEntry,
  lockName,
  setPaused,
  tagsOf,
  type VersionChange,
} from "./versions.js";

type Own = Pick<Platform, "database" | "hosting">;

const tagsThatRefer: References = async (sql, version) =>
  (await tagsOf(sql, version)).map((tag) => `the tag "${tag}"`);

/** Changes the description or the endpoints of a version or a tag. @throws Problem `forbidden`, `subgraph-not-found`; DatabaseError */
export async function changeSubgraph(
  { database }: Own,
  caller: Caller,
  named: EntryName,
  change: VersionChange,
): Promise<void> {
  requireRole(caller, "Editor");
  await database.transaction(async (sql) => {
    const name = nameIn(caller, named);
    await lockName(sql, name);
    await changeVersion(sql, await requireEntry(sql, name), change);
    await noteChange(sql, caller, "subgraph.change", subjectOf(named));
  });
}

/**
 * Pauses or resumes a version, and waits until its engine knows. This overrides what an operator has done at
 * the engine itself.
 * @throws Problem `forbidden`, `subgraph-not-found`, `unprocessable` for a tag; DatabaseError
 */
export async function pauseSubgraph(
  { database, hosting }: Own,
  caller: Caller,
  named: EntryName,
  isPaused: boolean,
): Promise<void> {
  requireRole(caller, "Editor");
  const found = await requireVersion(database, nameIn(caller, named));
  await database.transaction(async (sql) => {
    await setPaused(sql, found, isPaused);
    await forgetAskedPause(sql, found.deployment);
    await noteChange(sql, caller, isPaused ? "subgraph.pause" : "subgraph.resume", subjectOf(named));
  });
  await hosting.reconcile([found.deployment]);
}

/**
 * Deletes a version. The indexed data is deleted with the last version that shows its build.
 * @param references find references to versions besides tags
 * @throws Problem `forbidden`, `subgraph-not-found`, `unprocessable` for a tag, `in-use`; DatabaseError
 */
export async function removeSubgraph(
  { database, hosting }: Own,
  caller: Caller,
  named: EntryName,
  references: readonly References[],
): Promise<void> {
  requireRole(caller, "Editor");
  const name = nameIn(caller, named);
  const { deployment } = await database.transaction(async (sql) => {
    await holdEntry(sql, name);
    const version = await requireVersion(sql, name);
    await requireUnused(sql, name, [tagsThatRefer, ...references]);
    await deleteVersion(sql, name);
    await noteChange(sql, caller, "subgraph.delete", subjectOf(name));
    return version;
  });
  await hosting.reconcile([deployment]);
}

/** The name of a version or a tag in the audit log. */
function subjectOf({ name, version }: EntryName): string {
  return `${name}/${version}`;
}
