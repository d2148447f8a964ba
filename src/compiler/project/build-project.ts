import type { GraphCliRules } from "../abi/graph-cli-rules.js";
import type { Asc, Optimization } from "../asc/asc.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { Report } from "../diagnostics/report.js";
import type { Host } from "../host.js";
import { checkShape } from "./check-shape.js";
import { checkSources } from "./check-sources.js";
import { checkVersions } from "./check-versions.js";
import { collectProgram } from "./collect-program.js";
import { compileMappings, type Mapping, mappingsOf } from "./compile-mappings.js";
import { generateTypes } from "./generate-types.js";
import { layOutBuild } from "./lay-out-build.js";
import { composedManifest, contractManifest, fileManifest, type Shape } from "./manifest-shape.js";
import { hasInt8, ProjectPackages } from "./packages.js";
import { ProjectAbis } from "./project-abis.js";
import { ProjectFiles, shortest } from "./project-files.js";
import { type ProjectManifest, type ProjectSource, sourcesOf } from "./project-manifest.js";
import { readManifest } from "./read-manifest.js";
import { readSchema } from "./read-schema.js";
import { type SourceSchema, sourceSubgraphs, sourceTypes } from "./source-types.js";
import { typesFolders } from "./types-folder.js";
import type { NetworkChoice } from "./use-network.js";
import { rulesOf } from "./versions.js";

/** Options of building a project. */
export interface ProjectOptions {
  /**
   * `types`: only the generated files, as by `graph codegen`. `check`: errors only. `build`, the default: all,
   * as by `graph codegen && graph build`.
   */
  readonly until?: "types" | "check" | "build";
  /** `full`, the default, makes the bytes of `graph build`. */
  readonly optimize?: Optimization;
  /** Takes addresses and start blocks from a file of networks. */
  readonly network?: NetworkChoice | undefined;
  /**
   * The folder of the generated files, relative to the manifest's folder. By default it is the one that the
   * mappings import from.
   */
  readonly typesFolder?: string | undefined;
  /** Whether old versions in the manifest stay as they are. */
  readonly skipMigrations?: boolean | undefined;
  /** Whether `@entity` may leave `immutable` out, as for gnd. By default, the project's graph-cli decides. */
  readonly takesAnyImmutable?: boolean | undefined;
  /** Fetches the schemas of other subgraphs that are sources. */
  readonly sourceSchema?: SourceSchema | undefined;
}

/** A built project. `ok` is false if and only if an error was reported; then there are no files. */
export interface ProjectBuild {
  readonly ok: boolean;
  /** Errors and warnings, ordered by source and position. */
  readonly diagnostics: readonly Diagnostic[];
  /** Paths of the folders of generated files, relative to the manifest's folder; usually there is one. */
  readonly typesFolders: readonly string[];
  /** The generated files by path in such a folder. */
  readonly types: ReadonlyMap<string, string>;
  /** The build by path in its folder; empty unless everything was built. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** The new text of the manifest, if a network or old versions change it as graph-cli changes the file. */
  readonly manifest?: string;
}

/**
 * Builds a subgraph that was written by hand: its manifest, schema, ABIs and mappings. Nothing is written.
 * @param manifestPath path of the manifest for the host
 */
export async function buildProject(
  manifestPath: string,
  host: Host,
  tools: { readonly asc: Asc },
  options: ProjectOptions = {},
): Promise<ProjectBuild> {
  const report = new Report();
  const files = new ProjectFiles(manifestPath, host);
  const packages = new ProjectPackages(files, host);
  const { version: graphTs } = await packages.graphTs();
  const manifest = await readManifest(manifestPath, host, { ...options, graphTs }, report);
  const checked = manifest && (await checkManifest(manifest, files, graphTs, report));
  if (!checked) return failure(report);
  const { sources, abis } = checked;

  const rules = await projectRules(packages, options);
  const schema = await readSchema(manifest, files, { wantsImmutable: rules.asksForImmutable }, report);
  const types = await generateTypes(sources, abis, schema, rules);
  const mappings = await mappingsOf(manifest, sources, files, report);
  const subgraphs = sourceSubgraphs(manifest, sources);
  const names = [...types.keys(), ...subgraphs.map(({ file }) => file)];
  const folders = await foldersOf(mappings, names, files, packages, options);
  for (const subgraph of subgraphs) {
    const text = await sourceTypes(subgraph, manifest, files, folders, options.sourceSchema, report);
    if (text !== undefined) types.set(subgraph.file, text);
  }
  const { until = "build" } = options;
  const done = (built: ReadonlyMap<string, string | Uint8Array>): ProjectBuild =>
    report.failed
      ? failure(report)
      : {
          ...{ ok: true, diagnostics: report.diagnostics, typesFolders: folders, types, files: built },
          ...(manifest.changed !== undefined && { manifest: manifest.changed }),
        };
  // While generated files are missing, most of the compiler's messages would be about them.
  if (until === "types" || report.failed) return done(new Map());

  const mode = until === "check" ? "check" : (options.optimize ?? "full");
  const generated = placed(types, folders);
  const toolchain = { asc: tools.asc, mode, files, packages, generated, rules } as const;
  const wasm = await compileMappings(manifest, mappings, toolchain, report);
  if (until === "check" || report.failed || !schema) return done(new Map());
  return done(await layOutBuild(manifest, sources, schema, wasm, { abis, rules }));
}

/**
 * A project keeps the rules of its own graph-cli, so that it builds here without an edit, to the same bytes. Its
 * graph-ts may be older than its graph-cli and lack `Int8`.
 */
async function projectRules(
  packages: ProjectPackages,
  { takesAnyImmutable = false }: ProjectOptions,
): Promise<GraphCliRules> {
  const rules = rulesOf(await packages.graphCli());
  return {
    ...rules,
    asksForImmutable: rules.asksForImmutable && !takesAnyImmutable,
    int8: rules.int8 && hasInt8(await packages.graphTs()),
  };
}

function failure({ diagnostics }: Report): ProjectBuild {
  return { ok: false, diagnostics, typesFolders: [], types: new Map(), files: new Map() };
}

interface CheckedManifest {
  readonly sources: readonly ProjectSource[];
  readonly abis: ProjectAbis;
}

/** @returns what can be read further, errors included; `undefined` if there is nothing */
async function checkManifest(
  manifest: ProjectManifest,
  files: ProjectFiles,
  graphTs: string | undefined,
  report: Report,
): Promise<CheckedManifest> {
  const sources = sourcesOf(manifest);
  checkShape(manifest, shapeOf(manifest, sources), { ignoresUnknown: manifest.hasFileSources }, report);
  checkVersions(manifest, graphTs, report);
  const abis = new ProjectAbis(files, manifest, report);
  await checkSources(manifest, sources, abis, report);
  return { sources, abis };
}

function shapeOf({ hasFileSources }: ProjectManifest, sources: readonly ProjectSource[]): Shape {
  if (hasFileSources) return fileManifest;
  return sources[0]?.kind === "subgraph" ? composedManifest : contractManifest;
}

/** The folders of generated files. */
async function foldersOf(
  mappings: readonly Mapping[],
  names: readonly string[],
  files: ProjectFiles,
  packages: ProjectPackages,
  { typesFolder }: ProjectOptions,
): Promise<readonly string[]> {
  if (typesFolder !== undefined) return [shortest(typesFolder).replace(/\/$/, "")];
  const none = new Map<string, string>();
  const programs = await Promise.all(mappings.map(({ path }) => collectProgram(path, none, files, packages)));
  return typesFolders(programs, names);
}

function placed(types: ReadonlyMap<string, string>, folders: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    folders.flatMap((folder) =>
      [...types].map(([path, text]) => [shortest(`${folder}/${path}`), text] as const),
    ),
  );
}
