import { type Caller, requireRole } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { nameIn, requireVersion } from "./find-subgraph.js";
import { type References, requireUnused } from "./references.js";
import { deleteTag, findVersion, holdEntry, lockName, type SubgraphVersion, setTag } from "./versions.js";

export interface TagName {
  readonly name: string;
  readonly tag: string;
}

/**
 * Points a tag to a version. A new tag gets the endpoints of the version; a tag that moves keeps its own.
 * @param mayMove whether the tag may move away from the version that it points to; always true when absent
 * @returns the version that the tag stays at when it may not move; otherwise undefined
 * @throws Problem `forbidden`, `subgraph-not-found`, `unprocessable` when the target is a tag or would be opened, `conflict`
 *   when the tag has the name of a version; DatabaseError
 */
export async function tagSubgraph(
  { database }: Pick<Platform, "database">,
  caller: Caller,
  { name, tag }: TagName,
  target: string,
  mayMove: (from: string) => boolean = () => true,
): Promise<string | undefined> {
  requireRole(caller, "Editor");
  const own = nameIn(caller, { name, version: tag });
  return database.transaction(async (sql) => {
    await lockName(sql, own);
    const aim = await requireVersion(sql, { ...own, version: target });
    const known = await findVersion(sql, own);
    if (known?.target !== undefined && known.target !== target) {
      refuseToOpen(known, aim);
      if (!mayMove(known.target)) return known.target;
    }
    if (await setTag(sql, own, target)) {
      await noteChange(sql, caller, "subgraph.tag", `${name}/${tag} (${target})`);
      return undefined;
    }
    throw new Problem("conflict", `"${name}/${tag}" is a version. Choose another name for the tag.`);
  });
}

/**
 * Deletes a tag.
 * @param references find what refers to tags
 * @throws Problem `forbidden`, `subgraph-not-found`, `unprocessable` for a version, `in-use`; DatabaseError
 */
export async function untagSubgraph(
  { database }: Pick<Platform, "database">,
  caller: Caller,
  { name, tag }: TagName,
  references: readonly References[],
): Promise<void> {
  requireRole(caller, "Editor");
  const own = nameIn(caller, { name, version: tag });
  await database.transaction(async (sql) => {
    await holdEntry(sql, own);
    const found = await findVersion(sql, own);
    if (!found) throw new Problem("subgraph-not-found", `"${name}" has no tag "${tag}".`);
    if (found.target === undefined)
      throw new Problem("unprocessable", `"${name}/${tag}" is a version, not a tag.`);
    await requireUnused(sql, own, references);
    await deleteTag(sql, own);
    await noteChange(sql, caller, "subgraph.untag", `${name}/${tag}`);
  });
}

/** A tag keeps its endpoints when it moves, so a public tag could make a private version public. @throws Problem `unprocessable` */
function refuseToOpen(tag: SubgraphVersion, aim: SubgraphVersion): void {
  if (!tag.hasPublicEndpoint || aim.hasPublicEndpoint) return;
  throw new Problem(
    "unprocessable",
    `The public endpoint of the tag "${tag.name}/${tag.version}" is on, but that of "${aim.name}/${aim.version}" is off. ` +
      "If the tag pointed there, anyone could query that version. First turn the tag's public endpoint off, or the version's on.",
  );
}
