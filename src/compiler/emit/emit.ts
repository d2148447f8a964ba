import type { OwnMappingModel, SubgraphModel } from "../model/subgraph.js";
import { emitAbiJson } from "./abi-json.js";
import { bindEntity } from "./bindings/bound-entity.js";
import { printAbiBindings } from "./bindings/print-abi-bindings.js";
import { printSchemaBindings } from "./bindings/print-schema-bindings.js";
import { printTemplateBindings } from "./bindings/print-template-bindings.js";
import type { EmittedFile } from "./emitted-file.js";
import { emitManifest, projectPaths } from "./manifest.js";
import { emittedManifests } from "./manifest-names.js";
import { emitInstances } from "./mapping/instances-file.js";
import { emitModule } from "./mapping/module-file.js";
import { emitSchema } from "./schema.js";
import type { Templates } from "./templates.js";

/** Versions of the tools that an emitted project depends on. graphloom is tested with these. */
const graphCliVersion = "0.98.1";

const graphTsVersion = "0.38.2";

/** Emits all files of the project except the build. Makes no decisions. */
export function emit(model: SubgraphModel, templates: Templates): readonly EmittedFile[] {
  const files = new Map<string, string>(emitProjectFiles(model, templates));
  for (const { model: chain, file } of emittedManifests(model)) {
    files.set(file, emitManifest(model, chain, projectPaths, templates));
  }
  files.set("schema.graphql", emitSchema(model.entities, templates));
  files.set("src/mapping.ts", emitMappingIndex(model, templates));
  for (const { className, abi } of model.abis) files.set(`abis/${className}.json`, emitAbiJson(abi));
  for (const [path, text] of emitBindings(model)) files.set(path, text);
  const { mapping } = model;
  const modules = model.modules.map((module) => emitModule(module, mapping?.fileStem ?? "", templates));
  if (mapping) {
    files.set(ownMappingPath(mapping), mapping.file.text);
    files.set("src/instances.ts", emitInstances(model, templates));
  }
  return [...modules, ...[...files].map(([path, text]) => ({ path, text, expressions: [] }))].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

/** The path of the user's own mapping, which is copied unchanged. */
export function ownMappingPath({ fileStem }: OwnMappingModel): string {
  return `src/${fileStem}.ts`;
}

function emitMappingIndex({ modules }: SubgraphModel, templates: Templates): string {
  return templates.print("mapping", {
    exports: modules.map(({ fileStem, handlers }) => {
      const names = handlers.map(({ name }) => name);
      const line = `export { ${names.join(", ")} } from "./${fileStem}";`;
      if (line.length <= 80) return line;
      return `export {\n${names.map((name) => `  ${name},\n`).join("")}} from "./${fileStem}";`;
    }),
  });
}

/** The files that `graph codegen` generates for all manifests. */
function emitBindings({ abis, chains, entities }: SubgraphModel): ReadonlyMap<string, string> {
  const texts = new Map(abis.map(({ className, bound }) => [className, printAbiBindings(bound)]));
  const files = new Map([["generated/schema.ts", printSchemaBindings(entities.map(bindEntity))]]);
  for (const { dataSources, templates } of chains) {
    for (const { name, abis: listed } of dataSources) {
      for (const { className } of listed)
        files.set(`generated/${name}/${className}.ts`, texts.get(className) ?? "");
    }
    for (const { name, abis: listed } of templates) {
      for (const { className } of listed) {
        files.set(`generated/templates/${name}/${className}.ts`, texts.get(className) ?? "");
      }
    }
  }
  // graph-cli overwrites this file for every manifest with templates, so the last one remains.
  const last = chains.findLast(({ templates }) => templates.length > 0)?.templates;
  if (last)
    files.set(
      "generated/templates.ts",
      printTemplateBindings(last.map(({ name }) => ({ name, of: "contract" }))),
    );
  return files;
}

/** Emits the files that let the project be built without graphloom. */
function emitProjectFiles(model: SubgraphModel, templates: Templates): ReadonlyMap<string, string> {
  return new Map([
    ["package.json", packageJson(model)],
    ["tsconfig.json", tsconfigJson()],
    [".gitignore", "node_modules/\nbuild/\ngenerated/\n"],
    ["README.md", readme(model, templates)],
  ]);
}

function packageJson(model: SubgraphModel): string {
  const manifests = emittedManifests(model);
  const name = (model.name ?? "subgraph").toLowerCase();
  return json({
    name,
    version: "0.0.0",
    private: true,
    scripts: {
      codegen: manifests.map(({ file }) => `graph codegen ${file}`).join(" && "),
      build: manifests
        .map(({ file, buildFolder }) => `graph build ${file} --output-dir ${buildFolder}`)
        .join(" && "),
    },
    dependencies: { "@graphprotocol/graph-ts": graphTsVersion },
    devDependencies: { "@graphprotocol/graph-cli": graphCliVersion },
  });
}

/** For editors; the compiler itself does not read it. */
function tsconfigJson(): string {
  return json({ extends: "@graphprotocol/graph-ts/types/tsconfig.base.json", include: ["src", "generated"] });
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function readme(model: SubgraphModel, templates: Templates): string {
  return templates.print("readme", {
    title: model.name ?? "subgraph",
    manifests: emittedManifests(model).map(({ file, chain, buildFolder }) => ({ file, chain, buildFolder })),
    entities: model.entities.map(({ name }) => name),
  });
}
