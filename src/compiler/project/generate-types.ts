import type { GraphCliRules } from "../abi/graph-cli-rules.js";
import { printAbiBindings } from "../emit/bindings/print-abi-bindings.js";
import { printSchemaBindings } from "../emit/bindings/print-schema-bindings.js";
import { printTemplateBindings } from "../emit/bindings/print-template-bindings.js";
import { abiClassName, bindRawAbi } from "./bind-raw-abi.js";
import { bindSchema } from "./bind-schema.js";
import { isContract, isFile } from "./check-sources.js";
import type { ProjectAbis } from "./project-abis.js";
import type { ProjectSource } from "./project-manifest.js";
import type { ReadSchema } from "./read-schema.js";

/**
 * The files that `graph codegen` writes, by path in their folder. Without errors they are complete.
 * @param rules those of the project's graph-cli
 */
export async function generateTypes(
  sources: readonly ProjectSource[],
  abis: ProjectAbis,
  schema: ReadSchema | undefined,
  rules: GraphCliRules,
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const source of sources) {
    const folder = source.isTemplate ? `templates/${source.name}` : source.name;
    for (const abi of source.abis) {
      const read = await abis.read(abi);
      if (!read?.sound) continue;
      const className = abiClassName(abi.name, rules);
      const bound = bindRawAbi(className, read.entries, ({ index }) => read.locate([index]), rules);
      files.set(`${folder}/${className}.ts`, printAbiBindings(bound, rules));
    }
  }
  const templates = sources.filter((source) => source.isTemplate && (isContract(source) || isFile(source)));
  if (templates.length > 0) {
    const bound = templates.map((template) => ({
      name: template.name,
      of: isFile(template) ? ("file" as const) : ("contract" as const),
    }));
    files.set("templates.ts", printTemplateBindings(bound, rules));
  }
  if (schema) files.set("schema.ts", printSchemaBindings(bindSchema(schema.document, rules), { rules }));
  return files;
}
