import type { Chain } from "../runtime/chain/chain.js";
import { createRpcClient, type RpcClient, type RpcClientOptions } from "../runtime/chain/rpc/rpc-client.js";
import { createRpcChain, type RpcChainOptions } from "../runtime/chain/rpc-chain.js";
import { createNodeWorld } from "./world.js";

/** Options of the connection to a node; everything has a default. */
export interface OpenChainOptions extends RpcClientOptions, RpcChainOptions {
  /** Aborts all requests and waits. */
  readonly signal?: AbortSignal;
}

/**
 * Opens a chain through an Ethereum node's JSON-RPC over HTTP.
 * @throws ChainError if the address is not a web URL
 */
export function openChain(url: string, options: OpenChainOptions = {}): Chain {
  return createRpcChain(openClient(url, options), options);
}

/**
 * Opens a connection to an Ethereum node over HTTP.
 * @throws ChainError if the address is not a web URL
 */
export function openClient(url: string, options: OpenChainOptions = {}): RpcClient {
  return createRpcClient(url, createNodeWorld(options.signal), options);
}
