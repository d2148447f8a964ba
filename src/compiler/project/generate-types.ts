import type { Report } from "../diagnostics/report.js";
import { printAbiBindings } from "../emit/bindings/print-abi-bindings.js";
import { printSchemaBindings } from "../emit/bindings/print-schema-bindings.js";
import { printTemplateBindings } from "../emit/bindings/print-template-bindings.js";
import { abiClassName, bindRawAbi } from "./bind-raw-abi.js";
import { bindSchema } from "./bind-schema.js";
import { isContract, isFile } from "./check-sources.js";
import type { ProjectAbis } from "./project-abis.js";
import { type ProjectManifest, type ProjectSource, textAt } from "./project-manifest.js";
import { parseSchema, type ReadSchema } from "./read-schema.js";

/** Returns the schema of a deployed subgraph that is a source of another. */
export type SourceSchema = (deployment: string) => Promise<string | undefined>;

/**
 * The files that `graph codegen` writes, by path in their folder. Without errors they are complete.
 * @param sourceSchema absent if schemas of other subgraphs cannot be fetched
 */
export async function generateTypes(
  manifest: ProjectManifest,
  sources: readonly ProjectSource[],
  abis: ProjectAbis,
  schema: ReadSchema | undefined,
  report: Report,
  sourceSchema?: SourceSchema,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const source of sources) {
    const folder = source.isTemplate ? `templates/${source.name}` : source.name;
    for (const abi of source.abis) {
      const read = await abis.read(abi);
      if (!read?.sound) continue;
      const className = abiClassName(abi.name);
      const bound = bindRawAbi(className, read.entries, ({ index }) => read.locate([index]));
      files.set(`${folder}/${className}.ts`, printAbiBindings(bound));
    }
  }
  const templates = sources.filter((source) => source.isTemplate && (isContract(source) || isFile(source)));
  if (templates.length > 0) {
    const bound = templates.map((template) => ({
      name: template.name,
      of: isFile(template) ? ("file" as const) : ("contract" as const),
    }));
    files.set("templates.ts", printTemplateBindings(bound));
  }
  if (schema) files.set("schema.ts", printSchemaBindings(bindSchema(schema.document)));
  for (const [deployment, text] of await schemasOfSources(manifest, sources, report, sourceSchema)) {
    const document = await parseSchema({ path: `schema of ${deployment}`, text }, report);
    if (!document) continue;
    files.set(`subgraph-${deployment}.ts`, printSchemaBindings(bindSchema(document), { isOfSource: true }));
  }
  return files;
}

async function schemasOfSources(
  manifest: ProjectManifest,
  sources: readonly ProjectSource[],
  report: Report,
  sourceSchema: SourceSchema | undefined,
): Promise<ReadonlyMap<string, string>> {
  const schemas = new Map<string, string>();
  for (const { kind, path } of sources) {
    if (kind !== "subgraph") continue;
    const deployment = textAt(manifest.tree, [...path, "source", "address"]);
    if (deployment === undefined || schemas.has(deployment) || !sourceSchema) continue;
    const text = await sourceSchema(deployment);
    if (text !== undefined) schemas.set(deployment, text);
    else {
      report.error(
        "manifest-file",
        manifest.locate([...path, "source", "address"]),
        `the schema of the subgraph ${deployment} could not be fetched from IPFS`,
        { hint: "name an IPFS node or gateway that has it with --ipfs" },
      );
    }
  }
  return schemas;
}
