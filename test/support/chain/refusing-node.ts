import { onTestFinished } from "vitest";
import { type Fault, type FaultyNode, NodeError, type RpcCall, startFaultyNode } from "./faulty-node.js";
import type { RangeRefusal } from "./range-refusals.js";
import { rawLog } from "./raw-chain.js";

export interface RefusingFault {
  /** What becomes of an exchange that asks for a wide range. */
  readonly fault?: Fault;
}

/** Starts a node of a chain with a log in each block, which refuses wide ranges of logs. It ends with the test. */
export async function startRefusingNode({
  limit = 5,
  status = 200,
  code = 0,
  message = "",
  data,
  body,
  fault,
}: RangeRefusal & RefusingFault): Promise<FaultyNode> {
  const isWide = (call: RpcCall): boolean => {
    if (call.method !== "eth_getLogs") return false;
    const [from, to] = rangeOf(call);
    return to - from + 1 > limit;
  };
  const node = await startFaultyNode((call) => {
    if (call.method === "eth_chainId") return "0x1";
    if (isWide(call)) throw new NodeError(code, message, data);
    const [from, to] = rangeOf(call);
    return Array.from({ length: to - from + 1 }, (_, index) => rawLog(from + index, 0));
  });
  onTestFinished(() => node.stop());
  node.rule((calls) => {
    const wide = calls.find(isWide);
    if (wide && fault) return fault;
    if (!wide || status === 200) return undefined;
    const error = { code, message, ...(data !== undefined && { data }) };
    const text = body ?? JSON.stringify({ jsonrpc: "2.0", id: wide.id, error });
    return { kind: "status", status, text };
  });
  return node;
}

/** The range of a query of logs. */
export function rangeOf({ params }: RpcCall): readonly [from: number, to: number] {
  const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
  return [Number(fromBlock), Number(toBlock)];
}
