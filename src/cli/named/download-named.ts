import { deployedAt } from "../../deploy/deployed-at.js";
import { downloadBuild } from "../../deploy/ipfs/download.js";
import { createNodeWorld } from "../../machine/world.js";
import type { Build } from "../../subgraph/build.js";
import { showingRequests } from "../remote/session.js";
import { count } from "../terminal/count.js";
import { passing } from "../terminal/passing.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Named } from "./find-named.js";

/** The gateway that deployments are downloaded from, unless the command line names one. */
export const publicGateway = "https://ipfs.network.thegraph.com";

export interface DownloadOptions {
  /** The address of an IPFS gateway. */
  readonly gateway?: string | undefined;
  readonly verbose: boolean;
}

/**
 * Downloads a deployment, or the one that an endpoint serves, and shows the progress.
 * @returns its id and its build
 * @throws IpfsError, BundleError, HttpError as `downloadBuild`; EndpointError as `deployedAt`
 */
export async function download(
  named: Extract<Named, { kind: "deployment" | "endpoint" }>,
  { gateway = publicGateway, verbose }: DownloadOptions,
  terminal: Terminal,
): Promise<{ readonly id: string; readonly build: Build }> {
  const world = createNodeWorld(terminal.signal);
  const id =
    named.kind === "deployment"
      ? named.hash
      : await deployedAt(named.url, world, showingRequests(verbose, passing(terminal)));
  const line = new StatusLine(terminal, () => performance.now());
  try {
    const build = await downloadBuild(
      id,
      gateway,
      world,
      ({ files, bytes }) =>
        line.show(() => `downloaded ${count(files, "file")}, ${Math.ceil(bytes / 1024)} KB`),
      showingRequests(verbose, (text) => line.print(text)),
    );
    return { id, build };
  } finally {
    line.end();
  }
}
