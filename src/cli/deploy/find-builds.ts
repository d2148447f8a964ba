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
import { isWebAddress } from "../../web/http/address.js";
import { compileConfig } from "../compile/compile-project.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { showingRequests } from "../remote/session.js";
import { count } from "../terminal/count.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal as World } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import type { DeployArguments } from "./deploy-arguments.js";

/**
 * The builds that `subgraph deploy` is to deploy, one for each chain.
 * @returns nothing when a configuration has errors, which are printed
 */
export async function findBuilds(
  subgraph: SubgraphVersion,
  args: DeployArguments,
  world: World,
): Promise<readonly Build[] | undefined> {
  const { fromAbi, fromIpfsHash, fromUrl, path = "." } = args;
  if (fromAbi !== undefined) return buildConfig(fromAbi, subgraph, args, world);
  if (fromIpfsHash !== undefined) return [await download(fromIpfsHash, args, world)];
  if (fromUrl !== undefined) {
    checkUrl(fromUrl);
    const id = await deployedAt(
      fromUrl,
      createNodeWorld(world.signal),
      showingRequests(args.verbose, (text) => world.err(text)),
    );
    world.err(`${visible(fromUrl)} is the deployment ${id}.\n`);
    return [await download(id, args, world)];
  }
  return readBuildFolder(resolve(world.cwd, path), createNodeHost({ cwd: world.cwd }));
}

async function buildConfig(
  config: string,
  subgraph: SubgraphVersion,
  args: DeployArguments,
  world: World,
): Promise<readonly Build[] | undefined> {
  const line = new StatusLine(world, () => performance.now());
  line.show(() => `${subgraph.name}/${subgraph.version}: building`);
  const compiled = await compileConfig(
    config,
    true,
    { ...subgraph, optimize: args.optimize, ...(args.enableCallHandlers && { callHandlers: true }) },
    args,
    world,
  ).finally(() => line.end());
  reportDiagnostics(compiled.diagnostics, args, world, config === "-" ? undefined : config);
  return compiled.model && buildsOf(compiled);
}

/** The builds of a compiled configuration, one for each chain in its order. */
export function buildsOf({ builds, files }: Pick<Compilation, "builds" | "files">): readonly Build[] {
  return builds.map(({ manifest }) => collectBuild({ manifest, files }));
}

async function download(
  hash: string,
  { ipfsGateway, verbose }: DeployArguments,
  world: World,
): Promise<Build> {
  const line = new StatusLine(world, () => performance.now());
  try {
    return await downloadBuild(
      hash,
      ipfsGateway,
      createNodeWorld(world.signal),
      ({ files, bytes }) =>
        line.show(() => `downloaded ${count(files, "file")}, ${Math.ceil(bytes / 1024)} KB`),
      showingRequests(verbose, (text) => line.print(text)),
    );
  } finally {
    line.end();
  }
}

function checkUrl(text: string): void {
  if (isWebAddress(text)) return;
  throw new UsageError(
    "--from-url: give the address of a subgraph's GraphQL endpoint, beginning with https://",
  );
}
