import { resolve } from "node:path";
import { quotePath } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import type { Compilation } from "../../compiler/compilation.js";
import type { SubgraphVersion } from "../../deploy/target.js";
import { readBuildFolder } from "../../machine/files/build-folder.js";
import { createNodeHost } from "../../machine/files/host.js";
import type { Build } from "../../subgraph/build.js";
import { type Address, parseAddress } from "../../web/http/address.js";
import { compileConfig } from "../compile/compile-project.js";
import { reportCompiled } from "../compile/report-diagnostics.js";
import { type DownloadOptions, download } from "../named/download-named.js";
import { findNamed } from "../named/find-named.js";
import { hostOfTerminal, loadNamed } from "../named/load-named.js";
import { configOf } from "../named/load-or-say.js";
import { buildsOf, type NamedBuilds } from "../named/named-builds.js";
import { passing } from "../terminal/passing.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { DeployArguments } from "./deploy-arguments.js";

/** The builds to deploy. */
export interface FoundBuilds {
  /** One for each chain. */
  readonly builds: readonly Build[];
  /**
   * Positions of the configuration's expressions in the builds; empty for builds that this run did not compile.
   */
  readonly origins: Compilation["origins"];
}

/**
 * Finds the builds for `subgraph deploy`, one for each chain.
 * @returns `undefined` after printed errors in the compiled files
 */
export async function findBuilds(
  subgraph: SubgraphVersion,
  args: DeployArguments,
  terminal: Terminal,
): Promise<FoundBuilds | undefined> {
  const { subgraph: word, fromAbi, fromIpfsHash, fromUrl, path = "." } = args;
  if (word !== undefined) return buildsOfWord(word, subgraph, args, terminal);
  if (fromAbi !== undefined) return buildConfig(fromAbi, subgraph, args, terminal);
  if (fromIpfsHash !== undefined) {
    const named = { kind: "deployment", hash: fromIpfsHash } as const;
    return madeElsewhere([(await download(named, downloadOptions(args), terminal)).build]);
  }
  if (fromUrl !== undefined) {
    const { origin } = endpointOf(fromUrl);
    const { id, build } = await download({ kind: "endpoint", url: fromUrl }, downloadOptions(args), terminal);
    passing(terminal)(`The endpoint at ${visible(origin)} serves the deployment ${id}.\n`);
    return madeElsewhere([build]);
  }
  const host = createNodeHost({ cwd: terminal.cwd, within: terminal.within });
  return madeElsewhere(await readBuildFolder(resolve(terminal.cwd, path), host));
}

function madeElsewhere(builds: readonly Build[]): FoundBuilds {
  return { builds, origins: new Map() };
}

/**
 * The builds of the subgraph that a word names.
 * @throws UsageError if it names none, or for options that do not fit
 */
async function buildsOfWord(
  word: string,
  subgraph: SubgraphVersion,
  args: DeployArguments,
  terminal: Terminal,
): Promise<FoundBuilds | undefined> {
  const { optimize, network, networkFile, cache, verbose, enableCallHandlers: callHandlers } = args;
  const host = hostOfTerminal(terminal);
  const named = await findNamed(word, host);
  if (callHandlers && named.kind !== "configuration")
    throw new UsageError(
      `--enable-call-handlers changes the code of a configuration, and ${quotePath(word)} is none.`,
    );
  const options = {
    optimize,
    network,
    networkFile,
    cache,
    verbose,
    gateway: args.ipfsGateway,
    fromToken: args.fromToken,
    remote: args,
    // The target judges the build.
    judges: false,
    configuration: { ...subgraph, ...(callHandlers && { callHandlers }) },
  };
  const { diagnostics, found } = await loadNamed(named, options, terminal, { host });
  reportCompiled(diagnostics, found !== undefined, args, terminal, configOf(named));
  return found && unnamed(found);
}

/** The builds alone. */
export function unnamed({ builds, origins }: NamedBuilds): FoundBuilds {
  return { builds: builds.map(({ build }) => build), origins };
}

async function buildConfig(
  path: string,
  subgraph: SubgraphVersion,
  args: DeployArguments,
  terminal: Terminal,
): Promise<FoundBuilds | undefined> {
  const { optimize, enableCallHandlers } = args;
  const options = { ...subgraph, optimize, ...(enableCallHandlers && { callHandlers: true }) };
  const compiled = await compileConfig(path, true, options, args, terminal);
  const { diagnostics, model } = compiled;
  reportCompiled(diagnostics, model !== undefined, args, terminal, configOf({ kind: "configuration", path }));
  return model && unnamed(buildsOf({ ...compiled, model }));
}

function downloadOptions({ ipfsGateway: gateway, fromToken, verbose }: DeployArguments): DownloadOptions {
  return { gateway, fromToken, verbose };
}

/** @throws UsageError for an invalid URL; the message does not quote it, since it may contain a key */
function endpointOf(text: string): Address {
  const address = parseAddress(text);
  if (address) return address;
  throw new UsageError(
    "--from-url must be the address of a subgraph's GraphQL endpoint, starting with http:// or https://",
  );
}
