import { ApiProblem } from "../../api/answers/problem.js";
import { createManagementApi } from "../../api/management-api.js";
import { deployedAt } from "../../deploy/deployed-at.js";
import { downloadBuild } from "../../deploy/ipfs/download.js";
import { IpfsError } from "../../deploy/ipfs/ipfs-error.js";
import { parseIpfsHash } from "../../deploy/ipfs/ipfs-hash.js";
import { createCredentialStore } from "../../machine/logins/credentials.js";
import { createNodeWorld } from "../../machine/world.js";
import type { Build } from "../../subgraph/build.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { connectionTo, showingRequests, tokenOf, warnOfPlainText } from "../remote/session.js";
import { count } from "../terminal/count.js";
import { passing } from "../terminal/passing.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import { buildsInZip } from "./builds-in-zip.js";
import type { Named } from "./find-named.js";

/** The gateway that deployments are downloaded from, unless the command line names one. */
export const publicGateway = "https://ipfs.network.thegraph.com";

export interface DownloadOptions {
  /** The address of an IPFS gateway. */
  readonly gateway?: string | undefined;
  /** The token for the server of the endpoint, or for the gateway if it is not the public one. */
  readonly fromToken?: string | undefined;
  readonly verbose: boolean;
}

type Downloadable = Extract<Named, { kind: "deployment" | "endpoint" }>;

/**
 * Downloads a deployment, or the one that an endpoint serves, and shows the progress. A graphloom server is asked for
 * its build, if there is a token for it.
 * @returns its id and its build
 * @throws IpfsError, BundleError, HttpError as `downloadBuild`; EndpointError as `deployedAt`; ApiProblem
 */
export async function download(
  named: Downloadable,
  options: DownloadOptions,
  terminal: Terminal,
): Promise<{ readonly id: string; readonly build: Build }> {
  const { gateway = publicGateway, verbose } = options;
  const world = createNodeWorld(terminal.signal);
  const { token, api } = await serverAt(named.kind === "endpoint" ? named.url : gateway, options, terminal);
  const id =
    named.kind === "deployment"
      ? named.hash
      : await deployedAt(named.url, world, showingRequests(verbose, passing(terminal)), token);
  if (api && token !== undefined) {
    const build = await buildOn(api, token, id, options, terminal);
    if (build) return { id, build };
  } else if (api) {
    passing(terminal)(
      `No token for ${api.url}, so the build is downloaded from ${new URL(gateway).origin}. To get it from the server, run graphloom login --api-url ${api.url}, or set GRAPHLOOM_FROM_TOKEN.\n`,
    );
  }
  const line = new StatusLine(terminal, () => performance.now());
  try {
    const build = await downloadBuild(
      id,
      gateway,
      world,
      ({ files, bytes }) =>
        line.show(() => `downloaded ${count(files, "file")}, ${Math.ceil(bytes / 1024)} KB`),
      showingRequests(verbose, (text) => line.print(text)),
      named.kind === "deployment" ? token : undefined,
    );
    return { id, build };
  } finally {
    line.end();
  }
}

/** The management API of a server. */
interface ServerApi {
  readonly url: string;
  /** The project of an endpoint's address. */
  readonly project?: string;
}

/** The management API at an address, if it has one, and the token for its server: a given one, or that of a login. */
async function serverAt(
  address: string,
  { fromToken }: DownloadOptions,
  terminal: Terminal,
): Promise<{ readonly api?: ServerApi | undefined; readonly token?: string }> {
  if (!URL.canParse(address) || address === publicGateway) return {};
  const { origin } = new URL(address);
  const api = apiAt(address);
  const given = fromToken || terminal.env?.GRAPHLOOM_FROM_TOKEN || undefined;
  const token = given ?? (api && (await loginAt(api.url, terminal)));
  if (token === undefined) return { api };
  warnOfPlainText(origin, terminal);
  return { api, token: tokenOf(token, origin) };
}

/** The API on whose server an endpoint is, by the address of the endpoint or of the API itself. */
function apiAt(address: string): ServerApi | undefined {
  const { origin, pathname } = new URL(address);
  const endpoint = /^(.*?)\/api\/(?:public|private)\/([\w-]+)\/subgraphs\/./.exec(pathname);
  if (endpoint?.[2] !== undefined)
    return { url: `${origin}${endpoint[1] ?? ""}/api/v1`, project: endpoint[2] };
  return /\/api\/v1\/*$/.test(pathname) ? { url: `${origin}${pathname.replace(/\/+$/, "")}` } : undefined;
}

/** The token of a login at an API, or that of the environment if it is for the same API. */
async function loginAt(url: string, { env = {} }: Terminal): Promise<string | undefined> {
  if (env.GRAPHLOOM_TOKEN && env.GRAPHLOOM_API_URL?.replace(/\/+$/, "") === url) return env.GRAPHLOOM_TOKEN;
  return (await createCredentialStore(env).read()).logins.get(url)?.token;
}

/** The build that a server hands out, checked against its id; undefined if it has none. */
async function buildOn(
  { url, project }: ServerApi,
  token: string,
  named: string,
  { verbose }: DownloadOptions,
  terminal: Terminal,
): Promise<Build | undefined> {
  const id = parseIpfsHash(named) ?? named;
  const api = createManagementApi({ ...connectionTo(url, token, { verbose }, terminal), project });
  let zip: Uint8Array;
  try {
    zip = await api.deployedBuild(id);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return undefined;
    throw error;
  }
  const [build] = await buildsInZip(zip, id);
  if (build && linkBuild(build).deploymentId === id) return build;
  throw new IpfsError(`The server at ${url} returned a build that is not ${id}`);
}
