import { basename, dirname, join, relative, resolve } from "node:path";
import { quotePath } from "../../base/quote.js";
import { visible } from "../../base/visible.js";
import type { Host } from "../../compiler/host.js";
import { readNow } from "../../node/read-now.js";
import type { TestedProject } from "../../testing/matchstick/compile-suite.js";
import { readSettings, type TestSettings } from "../../testing/matchstick/read-settings.js";
import type { TestedSubgraph } from "../../testing/matchstick/test-world.js";
import { readTestedManifest, type TestedManifest, testedSubgraph } from "../../testing/read-tested.js";
import { findNamed, isBuilt, kindWords } from "../named/find-named.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";

/** A project whose tests are run. */
export interface TestProject extends TestedProject {
  /** Absolute. */
  readonly folder: string;
  readonly settings: TestSettings;
  readonly manifest: TestedManifest;
  readonly subgraph: TestedSubgraph;
  /** The names of test files on the command line. */
  readonly wanted: readonly string[];
}

const largestFile = 10_000_000;
const graphTs = "@graphprotocol/graph-ts";

/**
 * Finds the project that the command line means, and reads what its tests need.
 * @throws UsageError when there is none; SettingsError, BundleError and SchemaError for faulty files
 */
export async function openTestProject(
  names: readonly string[],
  host: Host,
  { cwd }: Terminal,
): Promise<TestProject> {
  const text = async (path: string): Promise<string | undefined> => {
    const read = await host.readFile(path, largestFile);
    return read.kind === "bytes" ? Buffer.from(read.bytes).toString("utf8") : undefined;
  };
  const { folder, manifestName, wanted } = await placeOf(names, cwd, text, host);
  const given = readSettings(await text(join(folder, "matchstick.yaml")));
  const settings = manifestName === undefined ? given : { ...given, manifest: manifestName };
  const manifestPath = resolve(folder, settings.manifest);
  const manifestText = await text(manifestPath);
  if (manifestText === undefined) {
    throw new UsageError(
      `There is no ${visible(settings.manifest)} in ${visible(folder)}. Run the command in the folder of a subgraph, or name the folder: graphloom test <folder>.`,
    );
  }
  const manifest = readTestedManifest(manifestText, settings.manifest);
  const schemaPath = resolve(dirname(manifestPath), manifest.schemaFile);
  const schema = await text(schemaPath);
  if (schema === undefined) {
    throw new UsageError(`The schema that the manifest names does not exist: ${visible(schemaPath)}`);
  }
  const libs = relative(folder, await packagesFolder(folder, settings, text)) || ".";
  return {
    ...{ folder, settings, manifest, wanted, libs },
    subgraph: testedSubgraph(manifest, schema, (path) => readNow(resolve(folder, path))),
    read: (path) => text(resolve(folder, path)),
    graphTs: (await ownGraphTs(resolve(folder, libs), host, text)) ?? (await host.packageSources(graphTs)),
  };
}

interface Place {
  readonly folder: string;
  readonly manifestName?: string;
  readonly wanted: readonly string[];
}

/** The first word may name a project: its manifest, or a folder that contains one. */
async function placeOf(
  names: readonly string[],
  cwd: string,
  text: (path: string) => Promise<string | undefined>,
  host: Host,
): Promise<Place> {
  const [first, ...others] = names;
  if (first === undefined) return { folder: cwd, wanted: [] };
  const path = resolve(cwd, first);
  if (/\.ya?ml$/i.test(first)) return { folder: dirname(path), manifestName: basename(path), wanted: others };
  for (const file of ["matchstick.yaml", "subgraph.yaml"]) {
    const found = await text(join(path, file));
    if (found !== undefined && !(file === "subgraph.yaml" && isBuilt(found)))
      return { folder: path, wanted: others };
  }
  await refuseBuilt(first, host);
  return { folder: cwd, wanted: names };
}

/** @throws UsageError for a word that names a built subgraph, which has no tests. Other words may be names of tests. */
async function refuseBuilt(word: string, host: Host): Promise<void> {
  const named = await findNamed(word, host).catch((error: unknown) => {
    if (error instanceof UsageError) return undefined;
    throw error;
  });
  const built = ["build", "zip", "deployment", "endpoint"] as const;
  const kind = built.find((one) => one === named?.kind);
  if (kind === undefined) return;
  throw new UsageError(
    `${quotePath(visible(word))} is ${kindWords[kind]}, which has no tests.`,
    "Name the folder of a subgraph.yaml with mappings: graphloom test <folder>",
  );
}

/** The folder of packages: as the settings say, or the nearest one that has matchstick-as. */
async function packagesFolder(
  folder: string,
  { libs }: TestSettings,
  text: (path: string) => Promise<string | undefined>,
): Promise<string> {
  if (libs !== undefined) return resolve(folder, libs);
  const nearest = join(folder, "node_modules");
  for (let at = folder; ; at = dirname(at)) {
    const packages = join(at, "node_modules");
    if ((await text(join(packages, "matchstick-as/package.json"))) !== undefined) return packages;
    if (dirname(at) === at) return nearest;
  }
}

/** The project's own graph-ts; `undefined` when it has none. */
async function ownGraphTs(
  packages: string,
  host: Host,
  text: (path: string) => Promise<string | undefined>,
): Promise<ReadonlyMap<string, string> | undefined> {
  const root = join(packages, graphTs);
  const files = (await host.filesUnder?.(root, 4)) ?? [];
  const sources = files.filter((path) => path.endsWith(".ts") && !path.startsWith("test/"));
  if (!sources.includes("index.ts")) return undefined;
  const texts = await Promise.all(
    sources.map(async (path) => [path, (await text(join(root, path))) ?? ""] as const),
  );
  return new Map(texts);
}
