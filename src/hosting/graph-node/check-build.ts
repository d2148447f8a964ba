import { checkFileSize } from "../../deploy/ipfs/largest-file.js";
import { layOut } from "../../store/tables/lay-out.js";
import { collectBuild } from "../../subgraph/collect-build.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import type { BuiltFiles } from "../../subgraph/runnable/built-subgraph.js";
import { judgeBuild } from "../../subgraph/runnable/judge-build.js";
import { checkModules } from "../embedded/check-modules.js";

/**
 * Checks a build as the embedded engine does, and the sizes of its files.
 * @returns what it is grafted onto, if it is
 * @throws BundleError, SchemaError, DatabaseError that says why graph-node would refuse it
 */
export async function checkBuild(
  built: BuiltFiles,
): Promise<{ readonly base: string; readonly block: number } | undefined> {
  for (const { path, bytes } of linkBuild(collectBuild(built)).files) checkFileSize(path, bytes.length);
  const { graft, entities, templates, modules } = judgeBuild(built).built;
  const fileTypes = new Set(templates.flatMap(({ file }) => [...(file?.entities ?? [])]));
  layOut(entities, "sgd0", { fileTypes });
  await checkModules(modules);
  return graft;
}
