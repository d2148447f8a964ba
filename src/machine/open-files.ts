import type { Files } from "../runtime/files/files.js";
import { createGatewayFiles, type Gateways } from "../runtime/files/gateway-files.js";
import { createNodeWorld } from "./world.js";

/** Options of the connection to gateways; everything has a default. */
export interface OpenFilesOptions {
  /** Aborts all requests and waits. */
  readonly signal?: AbortSignal;
}

/**
 * Reads files from gateways of IPFS and Arweave, for mappings that read files.
 * @throws ChainError if an address is not a URL
 */
export function openFiles(gateways: Gateways, { signal }: OpenFilesOptions = {}): Files {
  return createGatewayFiles(gateways, createNodeWorld(signal));
}

/**
 * Reads IPFS files from a gateway, and Arweave files from a public one.
 * @param gateway the address before `/ipfs/…`; may end with `/ipfs`
 * @throws ChainError if the address is not a URL
 */
export function openIpfs(gateway: string, options: OpenFilesOptions = {}): Files {
  return openFiles({ ipfs: gateway }, options);
}
