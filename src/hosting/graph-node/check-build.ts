import { checkFileSize } from "../../deploy/ipfs/largest-file.js";
import { layOut } from "../../store/tables/lay-out.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { judgeBuild } from "../../subgraph/runnable/judge-build.js";
import type { ReadBuild } from "../../subgraph/runnable/read-build.js";
import { checkModules } from "../embedded/check-modules.js";

/**
 * Checks a build as the embedded engine does, and the sizes of its files.
 * @returns its graft, if it has one
 * @throws BundleError, SchemaError, DatabaseError that says why graph-node would refuse it
 */
export async function checkBuild(
  build: ReadBuild,
): Promise<{ readonly base: string; readonly block: number } | undefined> {
  for (const { path, bytes } of linkBuild(build).files) checkFileSize(path, bytes.length);
  judgeBuild(build);
  const { graft, entities, templates, modules } = build.subgraph;
  const fileTypes = new Set(templates.flatMap(({ file }) => [...(file?.entities ?? [])]));
  layOut(entities, "sgd0", { fileTypes });
  await checkModules(modules);
  return graft;
}
