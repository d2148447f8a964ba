import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Chain } from "../runtime/chain/chain.js";
import { createRpcChain, type RpcChainOptions } from "../runtime/chain/rpc-chain.js";
import { createRpcClient, type RpcClientOptions, type RpcWorld } from "../runtime/chain/rpc-client.js";

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
  return createRpcChain(createRpcClient(url, createNodeRpc(options.signal), options), options);
}

/** The real network, clock and timers. */
function createNodeRpc(signal: AbortSignal | undefined): RpcWorld {
  // Everything that is under way listens to it, however much that is.
  if (signal) setMaxListeners(0, signal);
  return {
    fetch: (url, request) =>
      fetch(url, signal ? { ...request, signal: AbortSignal.any([signal, request.signal]) } : request),
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds, undefined, signal && { signal }),
    timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
    random: () => Math.random(),
  };
}

/** Waits, at the longest until the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
