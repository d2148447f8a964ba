import type { SubgraphModel } from "../model/subgraph.js";
import { emittedManifests } from "./manifest-names.js";
import type { Templates } from "./templates.js";

/** Versions of the tools that an emitted project depends on. graphloom is tested with these. */
const graphCliVersion = "0.98.1";
const graphTsVersion = "0.38.2";

/** Emits the files that let the project be built without graphloom. */
export function emitProjectFiles(model: SubgraphModel, templates: Templates): ReadonlyMap<string, string> {
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
