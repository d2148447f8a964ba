import { resolve } from "node:path";
import { quotePath } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import type { Asc, Optimization } from "../../compiler/asc/asc.js";
import type { WasmOptions } from "../../compiler/compilation.js";
import type { Host } from "../../compiler/host.js";
import type { NetworkChoice } from "../../compiler/project/manifest/use-network.js";
import { buildProject } from "../../machine/compiler/build-project.js";
import { readBuildFolder } from "../../machine/files/build-folder.js";
import { createNodeHost } from "../../machine/files/host.js";
import { readReason } from "../../machine/files/read-reason.js";
import type { Build } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { collectBuild } from "../../subgraph/collect-build.js";
import { judgeBuild } from "../../subgraph/runnable/judge-build.js";
import { SchemaError } from "../../subgraph/schema/entity-schema.js";
import { bundleLimits } from "../../subgraph/unzip-bundle.js";
import { openCache } from "../cache/open-cache.js";
import { compileConfig } from "../compile/compile-project.js";
import { whileCompiling } from "../compile/while-compiling.js";
import type { RemoteArguments } from "../remote/session.js";
import type { Terminal } from "../terminal/terminal.js";
import type { CacheArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { buildsInZip } from "./builds-in-zip.js";
import { findNamed, type Named } from "./find-named.js";
import { buildsOf, type Loaded, madeElsewhere } from "./named-builds.js";

/** How to load a subgraph. */
export interface LoadOptions extends CacheArguments {
  readonly optimize: Optimization;
  /** A network in the networks file, for a hand-written subgraph. */
  readonly network?: string | undefined;
  /** The path of that file, if the command line names it; else it is `networks.json` beside the manifest. */
  readonly networkFile?: string | undefined;
  /** The address of an IPFS gateway. */
  readonly gateway?: string | undefined;
  /** The token for a server that a deployment is downloaded from. */
  readonly fromToken?: string | undefined;
  /** Where to look for versions. */
  readonly remote: RemoteArguments;
  /** Whether builds from elsewhere are refused that no engine would run; true by default. */
  readonly judges?: boolean;
  /** Further options for a configuration. */
  readonly configuration?: Omit<WasmOptions, "optimize">;
}

/** The host and the compiler of a load, if they are not the terminal's. */
export interface LoadPlace {
  readonly host?: Host;
  readonly asc?: Asc;
}

/** A host for words on the command line: the file system, and standard input. */
export function hostOfTerminal({ cwd, stdin, within }: Terminal): Host {
  return createNodeHost({ cwd, stdin, within });
}

/**
 * Finds the subgraph that a word names, and loads its builds. Compiles it if it is not built, without writing
 * anything.
 * @throws UsageError if the word names none; BundleError for files that are not a runnable build; IpfsError,
 *   EndpointError and HttpError for a download
 */
export async function loadWord(
  word: string,
  options: LoadOptions,
  terminal: Terminal,
): Promise<Loaded & { readonly named: Named }> {
  const host = hostOfTerminal(terminal);
  const named = await findNamed(word, host);
  return { named, ...(await loadNamed(named, options, terminal, { host })) };
}

/**
 * Loads the builds of a subgraph that was found.
 * @throws as `loadWord`
 */
export async function loadNamed(
  named: Named,
  options: LoadOptions,
  terminal: Terminal,
  place: LoadPlace = {},
): Promise<Loaded> {
  const { host = hostOfTerminal(terminal) } = place;
  refuseNetwork(named, options);
  switch (named.kind) {
    case "configuration":
      return loadConfiguration(named.path, options, terminal, place);
    case "project":
      return loadProject(named.path, options, terminal, { ...place, host });
    case "build":
      return loaded(await readBuildFolder(resolve(terminal.cwd, named.path), host), named.path, options);
    case "zip":
      return loaded(await readZip(named.path, host), named.path, options);
    case "deployment":
    case "endpoint": {
      const { download } = await import("./download-named.js");
      const { id, build } = await download(named, options, terminal);
      return loaded([build], id, options);
    }
    case "version":
      return loadVersion(named, options, terminal);
  }
}

/** @throws UsageError for a network option if the subgraph already has its addresses */
function refuseNetwork({ kind }: Named, { network }: LoadOptions): void {
  if (network === undefined || kind === "project") return;
  const why =
    kind === "configuration" ? "a configuration names its chains itself" : "a build has its addresses";
  throw new UsageError(`--network is for a subgraph.yaml with mappings: ${why}. Leave out --network.`);
}

async function loadVersion(
  named: Extract<Named, { kind: "version" }>,
  { remote, judges }: LoadOptions,
  terminal: Terminal,
): Promise<Loaded> {
  const { downloadVersion } = await import("./download-version.js");
  const { name, version } = named;
  const label = `${name}/${version}`;
  const zip = await downloadVersion(named, remote, terminal);
  const { found } = loaded(await buildsInZip(zip, label), label, { ...(judges !== undefined && { judges }) });
  return { diagnostics: [], found: { ...found, name, version } };
}

async function loadConfiguration(
  path: string,
  { optimize, configuration, ...options }: LoadOptions,
  terminal: Terminal,
  place: LoadPlace,
): Promise<Loaded> {
  const compiled = await compileConfig(path, true, { ...configuration, optimize }, options, terminal, place);
  const { diagnostics, model } = compiled;
  return model ? { diagnostics, found: buildsOf({ ...compiled, model }) } : { diagnostics };
}

/** The network that the command line chooses for a manifest, and the file with this network. */
export function networkFor(
  manifest: string,
  { network, networkFile }: Pick<LoadOptions, "network" | "networkFile">,
  host: Host,
): NetworkChoice | undefined {
  if (network === undefined) return undefined;
  return { name: network, file: networkFile ?? host.resolveBeside(manifest, "networks.json") };
}

async function loadProject(
  path: string,
  options: LoadOptions,
  terminal: Terminal,
  { host, asc = terminal.asc }: LoadPlace & { readonly host: Host },
): Promise<Loaded> {
  const { optimize, gateway } = options;
  const network = networkFor(path, options, host);
  const build = (): ReturnType<typeof buildProject> =>
    buildProject(path, host, {
      asc,
      optimize,
      cache: openCache(options, terminal),
      network,
      ...(gateway !== undefined && {
        sourceSchema: async (id: string) =>
          (await import("./download-schema.js")).downloadSchema(id, gateway, terminal.signal),
      }),
    });
  const { ok, diagnostics, files } = await whileCompiling(path, build, terminal);
  if (!ok) return { diagnostics };
  return { ...loaded([collectBuild({ manifest: "subgraph.yaml", files })], path, options), diagnostics };
}

/** Judges builds that may come from anywhere. @throws BundleError with the name of the subgraph */
function loaded(
  builds: readonly Build[],
  name: string,
  { judges = true }: Pick<LoadOptions, "judges">,
): Loaded & Required<Pick<Loaded, "found">> {
  return runnable(name, () => {
    const found = madeElsewhere(builds);
    for (const { build } of found.builds) if (judges) judgeBuild(build);
    return { diagnostics: [], found };
  });
}

/** @throws BundleError with the name of the subgraph, if it is not runnable */
export function runnable<Result>(name: string, judged: () => Result): Result {
  try {
    return judged();
  } catch (error) {
    if (!(error instanceof BundleError || error instanceof SchemaError)) throw error;
    throw new BundleError(`${quotePath(visible(name))} cannot be run: ${error.message}`);
  }
}

/** The builds in the file of a zip: one at its root or in a folder, or one for each chain. */
async function readZip(path: string, host: Host): Promise<readonly Build[]> {
  const read = await host.readFile(path, bundleLimits.compressed);
  if (read.kind === "bytes") return buildsInZip(read.bytes, path);
  const why = readReason(read, bundleLimits.compressed);
  throw new BundleError(`${quotePath(visible(path))} cannot be read: ${why}.`);
}
