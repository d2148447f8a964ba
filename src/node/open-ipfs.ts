import type { Files } from "../runtime/files/files.js";
import { createGatewayFiles } from "../runtime/files/gateway-files.js";
import { createNodeWorld } from "./world.js";

/** How to talk to a gateway; everything has a default. */
export interface OpenIpfsOptions {
  /** Once aborted, nothing is sent and nothing is waited for any more: what is under way fails. */
  readonly signal?: AbortSignal;
}

/**
 * The files of IPFS that a gateway gives, for mappings that read some.
 * @param gateway address under which there is `/ipfs/…`; may end with `/ipfs`
 * @throws ChainError when the address is no URL
 */
export function openIpfs(gateway: string, { signal }: OpenIpfsOptions = {}): Files {
  return createGatewayFiles(gateway, createNodeWorld(signal));
}
