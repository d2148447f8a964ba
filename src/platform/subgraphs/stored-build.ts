import type { Sql } from "../../store/database/database.js";
import { manifestPath } from "../../subgraph/build.js";
import { ReadBuild } from "../../subgraph/runnable/read-build.js";
import { unzipBundle } from "../../subgraph/unzip-bundle.js";
import { readBundle } from "./builds.js";

/** Reads a deployed build. @returns undefined when it does not exist @throws DatabaseError, BundleError */
export async function storedBuild(sql: Sql, deployment: string): Promise<ReadBuild | undefined> {
  const bundle = await readBundle(sql, deployment);
  return bundle && ReadBuild.of({ manifest: manifestPath, files: await unzipBundle(bundle) });
}
