import type { Chain } from "../runtime/chain/chain.js";
import { createRpcChain, type RpcChainOptions } from "../runtime/chain/rpc-chain.js";
import { createRpcClient, type RpcClientOptions } from "../runtime/chain/rpc-client.js";
import { createNodeWorld } from "./world.js";

/** How to talk to a node; everything has a default. */
export interface OpenChainOptions extends RpcClientOptions, RpcChainOptions {
  /** Once aborted, nothing is sent and nothing is waited for any more: what is under way fails. */
  readonly signal?: AbortSignal;
}

/**
 * The chain that an Ethereum node tells about by JSON-RPC over HTTP.
 * @throws ChainError when the address is no URL
 */
export function openChain(url: string, options: OpenChainOptions = {}): Chain {
  return createRpcChain(createRpcClient(url, createNodeWorld(options.signal), options), options);
}
