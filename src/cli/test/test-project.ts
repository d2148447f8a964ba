import { dirname, join, relative, resolve } from "node:path";
import { visible } from "../../base/text/visible.js";
import type { Host } from "../../compiler/host.js";
import type { TestedProject } from "../../testing/matchstick/compile-suite.js";
import type { TestSettings } from "../../testing/matchstick/read-settings.js";
import type { TestedSubgraph } from "../../testing/matchstick/test-world.js";
import { readTestedManifest, type TestedManifest, testedSubgraph } from "../../testing/read-tested.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { findTested, type Tested } from "./find-tested.js";
import type { TestTools } from "./test-tools.js";

/** A project whose tests are run. */
export interface TestProject extends Tested {
  /** Absent if a configuration is tested. */
  readonly written?: WrittenProject;
}

/** What tests need from a hand-written subgraph. */
export interface WrittenProject extends TestedProject {
  readonly manifest: TestedManifest;
  readonly subgraph: TestedSubgraph;
}

const largestFile = 10_000_000;
const graphTs = "@graphprotocol/graph-ts";

/**
 * Finds the project that the command line means, and reads what its tests need.
 * @throws UsageError when there is none; SettingsError, BundleError and SchemaError for faulty files
 */
export async function openTestProject(
  { args, host, readNow }: Pick<TestTools, "args" | "host" | "readNow">,
  { cwd }: Terminal,
): Promise<TestProject> {
  const tested = await findTested(args.names ?? [], host, cwd);
  if (tested.configuration !== undefined) return tested;
  const { folder, settings } = tested;
  const text = async (path: string): Promise<string | undefined> => {
    const read = await host.readFile(path, largestFile);
    return read.kind === "bytes" ? Buffer.from(read.bytes).toString("utf8") : undefined;
  };
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
  const written = {
    manifest,
    libs,
    subgraph: testedSubgraph(manifest, schema, (path) => readNow(resolve(folder, path))),
    read: (path: string) => text(resolve(folder, path)),
    graphTs: (await ownGraphTs(resolve(folder, libs), host, text)) ?? (await host.packageSources(graphTs)),
  };
  return { ...tested, written };
}

/** The folder of packages: from the settings, or the nearest one that has matchstick-as. */
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
