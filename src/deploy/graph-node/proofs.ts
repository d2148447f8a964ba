import { foreignText } from "../../base/text/foreign-text.js";
import { isRecord, parseJson } from "../../base/text/json-value.js";
import type { World } from "../../base/world.js";
import { type SendOptions, send } from "../../web/http/send.js";
import { notAnAddress, serviceAddress } from "../../web/http/service-address.js";
import { GraphNodeError } from "./graph-node-error.js";

/** A block of a deployment for which a proof is requested. */
export interface ProvenBlock {
  readonly deployment: string;
  readonly block: number;
}

/** A proof that anyone may request. */
export interface PublicProof {
  /** Hex, as graph-node writes it; null if graph-node does not know the block's hash. */
  readonly hash: string | null;
  /** Hex, as graph-node writes it. */
  readonly proof: string;
}

/**
 * The proofs and hashes that graph-node's status interface returns, as hex in graph-node's form. Methods reject with
 * HttpError if there is no answer, and otherwise with GraphNodeError, which contains graph-node's error message, if
 * any.
 */
export interface GraphNodeProofs {
  /**
   * Null if there is no proof.
   * @param hash of the block, as hex
   * @param indexer an address; null for no indexer
   */
  proof(of: ProvenBlock, hash: string, indexer: string | null): Promise<string | null>;
  /** In the order of the blocks; graph-node refuses all of them if it cannot prove one of them. */
  publicProofs(of: readonly ProvenBlock[]): Promise<readonly PublicProof[]>;
  /** The hash of a block; null if graph-node does not know it. */
  blockHash(network: string, block: number): Promise<string | null>;
}

const proofQuery = `query ($id: String!, $block: Int!, $hash: Bytes!, $indexer: Bytes) {
  proofOfIndexing(subgraph: $id, blockNumber: $block, blockHash: $hash, indexer: $indexer)
}`;
const publicQuery = `query ($requests: [PublicProofOfIndexingRequest!]!) {
  publicProofsOfIndexing(requests: $requests) { deployment block { hash number } proofOfIndexing }
}`;
const hashQuery = `query ($network: String!, $block: Int!) {
  blockHashFromNumber(network: $network, blockNumber: $block)
}`;

/**
 * @param url of the status interface, including the path: `http://localhost:8030/graphql`
 * @throws GraphNodeError if it is not a web URL
 */
export function createGraphNodeProofs(url: string, world: World, options: SendOptions): GraphNodeProofs {
  const address = serviceAddress(url);
  if (!address) throw new GraphNodeError(`The address of graph-node's status ${notAnAddress}`);

  async function ask(query: string, variables: object): Promise<Readonly<Record<string, unknown>>> {
    const body = { kind: "json", value: { query, variables } } as const;
    const answer = parseJson((await send({ method: "POST", url, body, retry: false }, world, options)).text);
    if (!isRecord(answer)) throw nonsense();
    const [first]: unknown[] = Array.isArray(answer.errors) ? answer.errors : [];
    if (isRecord(first) && typeof first.message === "string") {
      throw new GraphNodeError(foreignText(first.message));
    }
    if (!isRecord(answer.data)) throw nonsense();
    return answer.data;
  }

  return {
    async proof({ deployment, block }, hash, indexer) {
      return hexOrNull((await ask(proofQuery, { id: deployment, block, hash, indexer })).proofOfIndexing);
    },
    async publicProofs(of) {
      const requests = of.map(({ deployment, block }) => ({ deployment, blockNumber: String(block) }));
      const { publicProofsOfIndexing: found } = await ask(publicQuery, { requests });
      if (!Array.isArray(found) || found.length !== of.length) throw nonsense();
      return found.map((one: unknown, index) => {
        const asked = of[index];
        if (!asked || !isRecord(one) || !isRecord(one.block)) throw nonsense();
        const proof = hexOrNull(one.proofOfIndexing);
        const isAsked =
          one.deployment === asked.deployment && String(one.block.number) === String(asked.block);
        if (proof === null || !isAsked) throw nonsense();
        return { hash: hexOrNull(one.block.hash), proof };
      });
    },
    async blockHash(network, block) {
      return hexOrNull((await ask(hashQuery, { network, block })).blockHashFromNumber);
    },
  };
}

function hexOrNull(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value === "string" && /^(?:0x)?[0-9a-fA-F]{1,128}$/.test(value)) return value;
  throw nonsense();
}

function nonsense(): GraphNodeError {
  return new GraphNodeError("the answer is not from graph-node's status interface");
}
