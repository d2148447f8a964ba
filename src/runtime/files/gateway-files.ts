import { foreignText } from "../../base/text/foreign-text.js";
import type { World } from "../../base/world.js";
import { HttpError } from "../../web/http/http-error.js";
import { type SendOptions, send } from "../../web/http/send.js";
import { notAnAddress, type ServiceAddress, serviceAddress } from "../../web/http/service-address.js";
import { ChainError } from "../chain/chain.js";
import { filePath } from "./file-path.js";
import type { Files } from "./files.js";

/** Maximum size of a file in bytes, as in graph-node. */
const largestFile = 25 * 1_048_576;
/** Maximum wait for a file in milliseconds, as in graph-node. */
const patience = 60_000;
/** Statuses of gateways for an invalid hash, a missing file, and a file that no node provided in time. */
const absent: ReadonlySet<number> = new Set([400, 404, 410, 422, 504]);

/**
 * Reads files from an IPFS gateway. The gateway is trusted: its files are not checked against their hash.
 * @param gateway base URL of `/ipfs/…`; may end with `/ipfs`
 * @throws ChainError when the address is not a URL
 */
export function createGatewayFiles(gateway: string, world: World, options: SendOptions = {}): Files {
  const address = serviceAddress(gateway, "/ipfs");
  if (!address) throw new ChainError(`The address of the IPFS gateway ${notAnAddress}`);
  return {
    read: (path, milliseconds = patience) => {
      const time = Math.min(milliseconds, patience);
      return readFile(path, address, world, {
        ...options,
        timeout: time,
        answerTime: time,
        maxAnswer: largestFile,
      });
    },
  };
}

async function readFile(
  path: string,
  { origin, at }: ServiceAddress,
  world: World,
  options: SendOptions,
): Promise<Uint8Array | undefined> {
  const file = filePath(path);
  if (file === undefined) return undefined;
  const place = `/ipfs/${file.split("/").map(encodeURIComponent).join("/")}`;
  const request = { method: "GET", url: at(place), shown: `${origin}${place}`, retry: true } as const;
  try {
    const { status, bytes, text } = await send(request, world, options);
    if (status === 200) return bytes;
    if (absent.has(status)) return undefined;
    const said = foreignText(text.slice(0, 300));
    throw new ChainError(
      `The IPFS gateway ${origin} answered with status ${status}${said === "" ? "" : `: ${said}`}`,
    );
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (error.kind === "too-large" || error.kind === "endless" || error.kind === "timeout") return undefined;
    throw new ChainError(`The IPFS gateway: ${error.message}`, { cause: error });
  }
}
