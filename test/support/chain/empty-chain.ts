import { hash, quantity, rawBlock } from "./raw-chain.js";

interface RpcRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * A `fetch` that simulates a mainnet node whose blocks hold no transactions.
 * @param head number of its last block
 */
export function emptyChain(head: number) {
  function answer({ id, method, params }: RpcRequest): object {
    const number = params[0] === "latest" ? head : Number(params[0]);
    const results: Readonly<Record<string, unknown>> = {
      eth_blockNumber: quantity(head),
      eth_chainId: "0x1",
      eth_getLogs: [],
      eth_getBlockByNumber: rawBlock(number, number === 0 ? { parentHash: hash(0) } : {}),
    };
    return { jsonrpc: "2.0", id, result: results[method] };
  }
  return async (_: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
    const asked: RpcRequest | readonly RpcRequest[] = JSON.parse(String(init?.body));
    return Response.json("method" in asked ? answer(asked) : asked.map(answer));
  };
}
