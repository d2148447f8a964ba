import { ChainError } from "../../runtime/chain/chain.js";
import { RpcError } from "../../runtime/chain/rpc-errors.js";
import { type DataNode, UnknownStateError } from "./data-node.js";

/** Milliseconds that a node rests after it gave no answer. */
const rest = 10_000;

/** What earlier requests have revealed about the nodes of a chain, by position. */
export class NodeMemory {
  /** The node that answered last. */
  best = 0;
  readonly resting = new Map<number, { readonly until: number; readonly failure: ChainError }>();
}

/**
 * Combines the nodes of a chain. If a node does not answer a request, or does not know its block, the next node gets
 * it. The node that answered last comes first. A node that gave no answer rests for a time, so that not every request
 * waits for it. If all rest, requests fail at once, as the last one did.
 * @param nodes at least one
 * @param now in milliseconds
 * @param onFailure receives the index of the node that gave no answer, and why
 * @param memory shared with others that use the same nodes
 */
export function anyNode(
  nodes: readonly DataNode[],
  now: () => number,
  onFailure: (index: number, failure: ChainError) => void = () => undefined,
  memory: NodeMemory = new NodeMemory(),
): DataNode {
  const { resting } = memory;

  async function ask<Answer>(question: (node: DataNode) => Promise<Answer>): Promise<Answer> {
    let failure: unknown;
    const places = [...nodes.keys()].sort(
      (one, other) => Number(other === memory.best) - Number(one === memory.best),
    );
    for (const place of places) {
      const node = nodes[place];
      if (!node) continue;
      const rests = resting.get(place);
      if (rests && now() < rests.until) {
        failure = rests.failure;
        continue;
      }
      try {
        const answer = await question(node);
        memory.best = place;
        return answer;
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        if (gaveNoAnswer(error)) {
          resting.set(place, { until: now() + rest, failure: error });
          onFailure(place, error);
        }
        failure = error;
      }
    }
    throw failure;
  }

  return {
    call: (...given) => ask((node) => node.call(...given)),
    create: (...given) => ask((node) => node.create(...given)),
    balance: (...given) => ask((node) => node.balance(...given)),
  };
}

/** Whether the node is to blame, rather than the question. */
function gaveNoAnswer(error: ChainError): boolean {
  return !(error instanceof RpcError || error instanceof UnknownStateError);
}
