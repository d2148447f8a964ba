import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { Report } from "../diagnostics/report.js";
import type { Host } from "../host.js";
import { checkShape } from "./manifest/check-shape.js";
import { schemaOnly } from "./manifest/manifest-shape.js";
import { readManifest } from "./manifest/read-manifest.js";
import type { NetworkChoice } from "./manifest/use-network.js";
import { rulesOf } from "./manifest/versions.js";
import { ProjectPackages } from "./packages.js";
import { ProjectFiles } from "./project-files.js";
import { readSchema } from "./schema/read-schema.js";

/** A project's schema, or its mistakes. */
export interface ProjectSchema {
  readonly diagnostics: readonly Diagnostic[];
  /** The file's text; absent if there are errors. */
  readonly schema?: string;
}

/**
 * Reads and checks the schema of a hand-written subgraph. Of all other files, reads only the manifest's path to the
 * schema, so mappings and ABIs may be faulty or missing.
 * @param manifestPath path of the manifest for the host
 * @param network a network that must be in a file of networks
 */
export async function readProjectSchema(
  manifestPath: string,
  host: Host,
  network?: NetworkChoice | undefined,
): Promise<ProjectSchema> {
  const report = new Report();
  const files = new ProjectFiles(manifestPath, host);
  const manifest = await readManifest(manifestPath, host, { network, graphTs: undefined }, report);
  if (!manifest) return { diagnostics: report.diagnostics };
  checkShape(manifest, schemaOnly, { ignoresUnknown: true }, report);
  const { asksForImmutable } = rulesOf(await new ProjectPackages(files, host).graphCli());
  const schema = await readSchema(manifest, files, { wantsImmutable: asksForImmutable }, report);
  return { diagnostics: report.diagnostics, ...(schema && !report.failed && { schema: schema.text }) };
}
