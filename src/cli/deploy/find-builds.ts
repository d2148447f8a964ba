import { resolve } from "node:path";
import { visible } from "../../base/visible.js";
import type { Compilation } from "../../compiler/compilation.js";
import { deployedAt } from "../../deploy/deployed-at.js";
import { downloadBuild } from "../../deploy/ipfs/download.js";
import type { SubgraphVersion } from "../../deploy/target.js";
import { readBuildFolder } from "../../node/build-folder.js";
import { createNodeHost } from "../../node/host.js";
import { createNodeWorld } from "../../node/world.js";
import type { Build } from "../../subgraph/build.js";
import { collectBuild } from "../../subgraph/collect-build.js";
import { type Address, parseAddress } from "../../web/http/address.js";
import { compileConfig } from "../compile/compile-project.js";
import { withConfigPlaces } from "../compile/config-places.js";
import { withMapFacts } from "../compile/map-facts.js";
import { reportCompiled } from "../compile/report-diagnostics.js";
import { showingRequests } from "../remote/session.js";
import { count } from "../terminal/count.js";
import { passing } from "../terminal/passing.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
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
 * @returns `undefined` when a configuration has errors, which it prints
 */
export async function findBuilds(
  subgraph: SubgraphVersion,
  args: DeployArguments,
  terminal: Terminal,
): Promise<FoundBuilds | undefined> {
  const { fromAbi, fromIpfsHash, fromUrl, path = "." } = args;
  if (fromAbi !== undefined) return buildConfig(fromAbi, subgraph, args, terminal);
  if (fromIpfsHash !== undefined) return madeElsewhere([await download(fromIpfsHash, args, terminal)]);
  if (fromUrl !== undefined) {
    const { origin } = endpointOf(fromUrl);
    const id = await deployedAt(
      fromUrl,
      createNodeWorld(terminal.signal),
      showingRequests(args.verbose, passing(terminal)),
    );
    passing(terminal)(`The endpoint at ${visible(origin)} serves the deployment ${id}.\n`);
    return madeElsewhere([await download(id, args, terminal)]);
  }
  const host = createNodeHost({ cwd: terminal.cwd });
  return madeElsewhere(await readBuildFolder(resolve(terminal.cwd, path), host));
}

function madeElsewhere(builds: readonly Build[]): FoundBuilds {
  return { builds, origins: new Map() };
}

async function buildConfig(
  config: string,
  subgraph: SubgraphVersion,
  args: DeployArguments,
  terminal: Terminal,
): Promise<FoundBuilds | undefined> {
  const compiled = await compileConfig(
    config,
    true,
    { ...subgraph, optimize: args.optimize, ...(args.enableCallHandlers && { callHandlers: true }) },
    args,
    terminal,
  );
  const hasResults = compiled.model !== undefined;
  reportCompiled(compiled.diagnostics, hasResults, args, terminal, config === "-" ? undefined : config);
  return compiled.model && buildsOf({ ...compiled, model: compiled.model });
}

/** The builds of a compiled configuration, one for each chain, in its order. */
export function buildsOf({
  builds,
  files,
  origins,
  model,
}: Required<Pick<Compilation, "builds" | "files" | "origins" | "model">>): FoundBuilds {
  const collected = builds.map(({ chain, manifest }) =>
    withMapFacts(withConfigPlaces(collectBuild({ manifest, files }), origins, model), model, chain),
  );
  return { builds: collected, origins };
}

async function download(
  hash: string,
  { ipfsGateway, verbose }: DeployArguments,
  terminal: Terminal,
): Promise<Build> {
  const line = new StatusLine(terminal, () => performance.now());
  try {
    return await downloadBuild(
      hash,
      ipfsGateway,
      createNodeWorld(terminal.signal),
      ({ files, bytes }) =>
        line.show(() => `downloaded ${count(files, "file")}, ${Math.ceil(bytes / 1024)} KB`),
      showingRequests(verbose, (text) => line.print(text)),
    );
  } finally {
    line.end();
  }
}

/** @throws UsageError for an invalid URL; the message does not quote it, since it may contain a key */
function endpointOf(text: string): Address {
  const address = parseAddress(text);
  if (address) return address;
  throw new UsageError(
    "--from-url must be the address of a subgraph's GraphQL endpoint, starting with http:// or https://",
  );
}
