import { ChainError } from "../../runtime/chain/chain.js";
import type { DataNode } from "./data-node.js";

/**
 * The nodes of a chain as one. A question that one does not answer, or whose block it does not know, goes to the next. The one
 * that has answered last is asked first.
 * @param nodes at least one
 */
export function anyNode(nodes: readonly DataNode[]): DataNode {
  let order = nodes;

  async function ask<Answer>(question: (node: DataNode) => Promise<Answer>): Promise<Answer> {
    let failure: unknown;
    for (const node of order) {
      try {
        const answer = await question(node);
        order = [node, ...nodes.filter((other) => other !== node)];
        return answer;
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
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
