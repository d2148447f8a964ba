import { ChainError } from "../../runtime/chain/chain.js";
import { RpcError } from "../../runtime/chain/rpc-errors.js";
import { type DataNode, UnknownStateError } from "./data-node.js";

/** Milliseconds for which a node that gave no answer is not asked. */
const rest = 10_000;

/**
 * The nodes of a chain as one. A question that one does not answer, or whose block it does not know, goes to the next. The one
 * that has answered last is asked first. One that gave no answer at all rests for a time, so that not every request waits for
 * it: if all rest, the questions of that time fail at once, as the last one did.
 * @param nodes at least one
 * @param now in milliseconds
 * @param onFailure told which of the nodes gave no answer, and why
 */
export function anyNode(
  nodes: readonly DataNode[],
  now: () => number,
  onFailure: (index: number, failure: ChainError) => void = () => undefined,
): DataNode {
  let order = nodes;
  const resting = new Map<DataNode, { readonly until: number; readonly failure: ChainError }>();

  async function ask<Answer>(question: (node: DataNode) => Promise<Answer>): Promise<Answer> {
    let failure: unknown;
    for (const node of order) {
      const rests = resting.get(node);
      if (rests && now() < rests.until) {
        failure = rests.failure;
        continue;
      }
      try {
        const answer = await question(node);
        order = [node, ...nodes.filter((other) => other !== node)];
        return answer;
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        if (gaveNoAnswer(error)) {
          resting.set(node, { until: now() + rest, failure: error });
          onFailure(nodes.indexOf(node), error);
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

/** Whether the node is to blame, and not what it was asked. */
function gaveNoAnswer(error: ChainError): boolean {
  return !(error instanceof RpcError || error instanceof UnknownStateError);
}
