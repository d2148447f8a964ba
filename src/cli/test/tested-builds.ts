import { relative } from "node:path";
import { present } from "../../base/invariant.js";
import { buildProject } from "../../machine/compiler/build-project.js";
import { manifestPath } from "../../subgraph/build.js";
import { placesIn, takeCarried } from "../../subgraph/carried-files.js";
import { configPlaceOf } from "../../subgraph/config-places.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import { readRunnable } from "../../subgraph/runnable/read-runnable.js";
import type { HandlersOfSource } from "../../testing/coverage.js";
import { type JsonTest, JsonTestError } from "../../testing/json/json-test.js";
import type { JsonTestPlace } from "../../testing/json/run-json-test.js";
import { readTestedManifest } from "../../testing/read-tested.js";
import { compileConfig } from "../compile/compile-project.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { buildsOf, type NamedBuild } from "../named/named-builds.js";
import type { Terminal } from "../terminal/terminal.js";
import type { TestProject } from "./test-project.js";
import type { TestTools } from "./test-tools.js";

/** A build for JSON tests. */
export interface TestedBuild {
  readonly built: BuiltSubgraph;
  /** Its chain; absent for a hand-written manifest. */
  readonly chain?: string;
  readonly sources: readonly HandlersOfSource[];
  /** Where in the configuration a handler failed. */
  readonly placeOf?: JsonTestPlace["placeOf"];
}

/**
 * Builds the subgraph for a project's JSON tests, and prints its mistakes. Does not write.
 * @returns a build for each chain; `undefined` if there are errors
 * @throws BundleError, SchemaError for a build that cannot run
 */
export async function buildTested(
  { written, configuration, folder, settings }: TestProject,
  { host, asc, cache, args }: TestTools,
  terminal: Terminal,
): Promise<readonly TestedBuild[] | undefined> {
  const reporting = { format: "text" as const, color: args.color };
  if (configuration !== undefined) {
    const path = relative(terminal.cwd, configuration);
    const caching = { cache: cache !== undefined, verbose: args.verbose };
    const compiled = await compileConfig(path, true, { optimize: "fast" }, caching, terminal, { host, asc });
    reportDiagnostics(compiled.diagnostics, reporting, terminal, path);
    if (!compiled.model) return undefined;
    const { builds } = buildsOf({ ...compiled, model: compiled.model });
    return builds.map((build) => ofConfiguration(build, builds.length > 1));
  }
  terminal.onCompiling?.(true);
  const build = await buildProject(host.resolveBeside(`${folder}/x`, settings.manifest), host, {
    asc,
    cache,
    optimize: "fast" as const,
    skipMigrations: true,
    takesAnyImmutable: true,
  }).finally(() => terminal.onCompiling?.(false));
  reportDiagnostics(build.diagnostics, reporting, terminal);
  if (!build.ok) return undefined;
  const built = readRunnable({ manifest: manifestPath, files: build.files });
  return [{ built, sources: written?.manifest.sources ?? [] }];
}

/** @param isOneOfSeveral whether sources of several chains may have the same name */
function ofConfiguration({ chain, build }: NamedBuild, isOneOfSeveral: boolean): TestedBuild {
  const manifest = new TextDecoder().decode(build.files.get(manifestPath));
  const { sources } = readTestedManifest(manifest, manifestPath);
  const places = placesIn(takeCarried(build).carried);
  return {
    built: build.subgraph,
    chain,
    sources: sources.map((source) => ({
      ...source,
      name: isOneOfSeveral ? sourceOn(chain, source.name) : source.name,
    })),
    ...(places && { placeOf: (handler, at) => configPlaceOf(places, at, handler) }),
  };
}

/** The name of a source that another chain may have, too. */
export function sourceOn(chain: string, source: string): string {
  return `${source} on ${chain}`;
}

/**
 * The build for a test.
 * @throws JsonTestError if the test fits none of the builds, or does not say which
 */
export function buildFor({ network }: JsonTest, builds: readonly TestedBuild[]): TestedBuild {
  const first = present(builds[0], "a subgraph without builds");
  // gnd ignores the key.
  if (first.chain === undefined) return first;
  const chains = builds.map(({ chain }) => chain).join(" and ");
  if (network === undefined) {
    if (builds.length === 1) return first;
    throw new JsonTestError(
      `The configuration is for ${chains}. Say on which chain the test is: "network": "${first.chain}".`,
    );
  }
  const found = builds.find(({ chain, built }) => chain === network || built.network === network);
  if (found) return found;
  throw new JsonTestError(`The test is on ${network}, but the configuration is for ${chains}.`);
}
