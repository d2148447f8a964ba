import { foreignText } from "../../base/text/foreign-text.js";
import type { World } from "../../base/world.js";
import { HttpError } from "../../web/http/http-error.js";
import { type SendOptions, send } from "../../web/http/send.js";
import { notAnAddress, type ServiceAddress, serviceAddress } from "../../web/http/service-address.js";
import { ChainError } from "../chain/chain.js";
import { arweaveId, ipfsPath } from "./file-path.js";
import { type Files, joinFiles } from "./files.js";

/** Maximum size of a file in bytes, as in graph-node. */
const largestFile = 25 * 1_048_576;
/** Maximum wait for a file in milliseconds, as in graph-node. */
const patience = 60_000;
/**
 * Statuses of gateways for an invalid hash, a missing file, a file that no node provided in time, and a transaction
 * that is not yet in a block of Arweave.
 */
const absent: ReadonlySet<number> = new Set([202, 400, 404, 410, 422, 504]);
/** The most redirects that are followed for a file. */
const mostRedirects = 3;
/** The gateway that graph-node has by default. */
export const publicArweave = "https://arweave.net";

/** Addresses of gateways. */
export interface Gateways {
  /** Base URL of `/ipfs/…`; may end with `/ipfs`. Without it, mappings cannot read files from IPFS. */
  readonly ipfs?: string | undefined;
  /** Base URL of `/<transaction>`; a public gateway by default. */
  readonly arweave?: string | undefined;
}

/**
 * Reads files of IPFS and of Arweave from gateways. The gateways are trusted: files are not checked against their hash.
 * @throws ChainError when an address is not a URL
 */
export function createGatewayFiles(
  { ipfs, arweave = publicArweave }: Gateways,
  world: World,
  options: SendOptions = {},
): Files {
  return joinFiles({
    arweave: filesOf({ name: "Arweave", address: arweave, requestOf: arweaveRequest }, world, options),
    ...(ipfs !== undefined && {
      ipfs: filesOf({ name: "IPFS", address: ipfs, suffix: "/ipfs", requestOf: ipfsRequest }, world, options),
    }),
  });
}

/** The request for a file, relative to a gateway's address. */
interface FileRequest {
  readonly place: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Gateway {
  readonly name: string;
  readonly address: string;
  /** Part of the address that may be left out. */
  readonly suffix?: string;
  /** `undefined` for a path that no file can have. */
  requestOf(path: string): FileRequest | undefined;
}

function ipfsRequest(path: string): FileRequest | undefined {
  const wanted = ipfsPath(path);
  if (wanted === undefined) return undefined;
  const place = `/ipfs/${encoded(wanted.file)}`;
  if (!wanted.isBlock) return { place };
  return { place, query: { format: "raw" }, headers: { accept: "application/vnd.ipld.raw" } };
}

/** The id comes from a mapping, so whatever it contains, the file is looked for below the gateway's address. */
function arweaveRequest(path: string): FileRequest | undefined {
  const id = arweaveId(path) ?? "";
  const isOutside = id.split("/").some((name) => name === "." || name === "..");
  return id === "" || isOutside || !id.isWellFormed() ? undefined : { place: `/${encoded(id)}` };
}

function encoded(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** @throws ChainError when the address is not a URL */
function filesOf(gateway: Gateway, world: World, options: SendOptions): Files {
  const address = serviceAddress(gateway.address, gateway.suffix);
  if (!address) throw new ChainError(`The address of the ${gateway.name} gateway ${notAnAddress}`);
  return {
    read: async (path, milliseconds = patience) => {
      const time = Math.min(milliseconds, patience);
      const request = gateway.requestOf(path);
      if (request === undefined) return undefined;
      const limits = { ...options, timeout: time, answerTime: time, maxAnswer: largestFile };
      return readFile(request, { name: gateway.name, ...address }, world, limits);
    },
  };
}

async function readFile(
  { place, query, headers = {} }: FileRequest,
  { name, origin, at }: ServiceAddress & { readonly name: string },
  world: World,
  options: SendOptions,
): Promise<Uint8Array | undefined> {
  let next = { url: at(place, query), shown: `${origin}${place}` };
  for (let left = mostRedirects; ; left--) {
    try {
      const { status, bytes, text } = await send(
        { ...next, method: "GET", headers, retry: true },
        world,
        options,
      );
      if (status === 200) return bytes;
      if (absent.has(status)) return undefined;
      const said = foreignText(text.slice(0, 300));
      throw new ChainError(
        `The ${name} gateway ${origin} answered with status ${status}${said === "" ? "" : `: ${said}`}`,
      );
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      if (error.kind === "too-large" || error.kind === "endless" || error.kind === "timeout")
        return undefined;
      const { target } = error;
      if (left === 0 || !target || !belongsTo(target, new URL(origin))) {
        throw new ChainError(`The ${name} gateway: ${error.message}`, { cause: error });
      }
      next = { url: target.href, shown: `${target.origin}${target.pathname}` };
    }
  }
}

/** Whether a gateway may redirect to an address: its own, or that of a subdomain, on which it keeps files apart. */
function belongsTo(target: URL, gateway: URL): boolean {
  const isSecure = target.protocol === gateway.protocol || target.protocol === "https:";
  const isHost = target.hostname === gateway.hostname || target.hostname.endsWith(`.${gateway.hostname}`);
  return isSecure && isHost && target.port === gateway.port;
}
