import type { Report } from "../diagnostics/report.js";
import { printSchemaBindings } from "../emit/bindings/print-schema-bindings.js";
import { type ProjectManifest, type ProjectSource, textAt } from "./manifest/project-manifest.js";
import type { ProjectFiles } from "./project-files.js";
import { bindSchema } from "./schema/bind-schema.js";
import { parseSchema } from "./schema/read-schema.js";

/** Returns the schema of a deployed subgraph that is a source of another one, or why it cannot be loaded. */
export type SourceSchema = (
  deployment: string,
) => Promise<{ readonly text: string } | { readonly reason: string }>;

export interface SourceSubgraph {
  readonly deployment: string;
  /** Name of the file with its entity types. */
  readonly file: string;
  readonly source: ProjectSource;
}

/** The distinct deployed subgraphs that are sources. */
export function sourceSubgraphs(
  manifest: ProjectManifest,
  sources: readonly ProjectSource[],
): readonly SourceSubgraph[] {
  const found = new Map<string, SourceSubgraph>();
  for (const source of sources) {
    const deployment = textAt(manifest.tree, [...source.path, "source", "address"]);
    if (source.kind !== "subgraph" || deployment === undefined || found.has(deployment)) continue;
    found.set(deployment, { deployment, source, file: `subgraph-${deployment}.ts` });
  }
  return [...found.values()];
}

/**
 * The types of a source's entities, from its schema on IPFS; if it cannot be fetched, the previously generated types.
 * @param folders the folders of generated files
 * @returns `undefined` after a reported error
 */
export async function sourceTypes(
  { deployment, file, source }: SourceSubgraph,
  manifest: ProjectManifest,
  files: ProjectFiles,
  folders: readonly string[],
  fetch: SourceSchema | undefined,
  report: Report,
): Promise<string | undefined> {
  const schema = fetch ? await fetch(deployment) : { reason: "no IPFS gateway is known" };
  if ("text" in schema) {
    const document = await parseSchema({ path: `schema of ${deployment}`, text: schema.text }, report);
    return document && printSchemaBindings(bindSchema(document), { isOfSource: true });
  }
  for (const folder of folders) {
    const text = await files.text(`${folder}/${file}`);
    if (text !== undefined) return text;
  }
  report.error(
    "manifest-file",
    manifest.locate([...source.path, "source", "address"]),
    "the schema of this subgraph cannot be fetched from IPFS",
    { notes: [schema.reason], hint: "name a gateway that has it with --ipfs" },
  );
  return undefined;
}
