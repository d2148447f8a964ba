import type { Files } from "../runtime/files/files.js";
import { createGatewayFiles } from "../runtime/files/gateway-files.js";
import { createNodeWorld } from "./world.js";

/** Options of the connection to a gateway; everything has a default. */
export interface OpenIpfsOptions {
  /** Aborts all requests and waits. */
  readonly signal?: AbortSignal;
}

/**
 * Reads IPFS files from a gateway, for mappings that read files.
 * @param gateway the address before `/ipfs/…`; may end with `/ipfs`
 * @throws ChainError if the address is not a URL
 */
export function openIpfs(gateway: string, { signal }: OpenIpfsOptions = {}): Files {
  return createGatewayFiles(gateway, createNodeWorld(signal));
}
