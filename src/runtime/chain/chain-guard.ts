import { localChainIds } from "../../chains/local-chains.js";
import { chainOfName } from "../../chains/look-up-chain.js";
import { type BlockPointer, ChainError, ReorgError } from "./chain.js";
import { quantityAnswer } from "./fields.js";
import { decodePointer } from "./rpc/decode-block.js";
import type { RequestOptions, RpcClient } from "./rpc/rpc-client.js";
import { RpcError } from "./rpc-errors.js";

/** The data that identifies a chain. */
export interface ChainIdentity {
  /** Decimal. */
  readonly chainId: string;
  /** The first block that the node has; absent when only the id is known. */
  readonly first?: BlockPointer;
}

/** Remembers which chain the data was indexed from. */
export interface ChainMemory {
  /** `undefined` until a chain was remembered. */
  recall(): Promise<ChainIdentity | undefined>;
  remember(identity: ChainIdentity): Promise<void>;
  /** The last indexed block, if any. */
  readonly head?: BlockPointer | undefined;
}

/** The node serves a different chain than the one that was indexed. Nothing was reverted. */
export class StrangeChainError extends ChainError {
  override readonly name = "StrangeChainError";
}

/** Errors are thrown without a retry, because the caller has an alternative. */
const once: RequestOptions = { tells: () => true };
const anew =
  "To index the new chain, start from scratch: delete the version and deploy it again, restart dev without the old data, or pass a new --database to run.";

/**
 * Checks that a node serves the chain that was indexed, which its id and the hash of its first block identify. The
 * first check remembers the chain, unless its id differs from the network's. A node that does not report its chain id
 * is not checked.
 * @throws StrangeChainError; ChainError when the node cannot be reached
 */
export class ChainGuard {
  readonly #client: RpcClient;
  readonly #memory: ChainMemory;
  readonly #network: string;
  #known: ChainIdentity | undefined;

  /** @param network its name in a manifest */
  constructor(
    client: RpcClient,
    network: string,
    memory: ChainMemory = { recall: async () => undefined, remember: async () => undefined },
  ) {
    this.#client = client;
    this.#network = network;
    this.#memory = memory;
  }

  async check(): Promise<void> {
    const known = this.#known ?? (await this.#memory.recall());
    const chainId = await this.#chainId();
    if (chainId === undefined) return;
    if (known && known.chainId !== chainId) {
      throw new StrangeChainError(
        `This node serves chain ${chainId}, but the indexed data is from chain ${known.chainId}. Nothing was reverted, and indexing continues once a node of chain ${known.chainId} answers. ${anew}`,
      );
    }
    if (!known) this.#checkNetwork(chainId);
    const first = await this.#block(
      known?.first ? hex(known.first.number) : "0x0",
      known?.first ? undefined : "earliest",
    );
    if (known?.first && first && known.first.hash !== first.hash) {
      throw new StrangeChainError(
        `Block ${first.number} of the node's chain is not the block that was indexed (${short(first)} instead of ${short(known.first)}, both on chain ${chainId}). This happens when a local chain is restarted. Nothing was reverted, and indexing continues once the former chain answers. ${anew}`,
      );
    }
    if (known?.first) this.#known = known;
    else await this.#remember({ chainId, ...(first && { first }) });
  }

  /** A chain on the user's machine may stand for any network. */
  #checkNetwork(chainId: string): void {
    const wanted = chainOfName(this.#network)?.chainId;
    if (wanted === undefined || wanted === chainId || localChainIds.has(chainId)) return;
    throw new StrangeChainError(
      `${this.#network} is chain ${wanted}, but the node serves chain ${chainId}. Nothing was indexed. Pass a node of ${this.#network}, or correct the name of the network.`,
    );
  }

  /** Data that was indexed without a memory belongs to this chain if the node has its last block. */
  async #remember(identity: ChainIdentity): Promise<void> {
    const { head } = this.#memory;
    if (head && !this.#known && (await this.#block(hex(head.number)))?.hash !== head.hash) return;
    await this.#memory.remember(identity);
    this.#known = identity;
  }

  async #chainId(): Promise<string | undefined> {
    const method = "eth_chainId";
    const answer = await unlessRefused(this.#client.request(method, [], once));
    return answer === undefined ? undefined : String(quantityAnswer(method, answer));
  }

  /** The block of the first tag for which the node has one. */
  async #block(...tags: readonly (string | undefined)[]): Promise<BlockPointer | undefined> {
    const method = "eth_getBlockByNumber";
    for (const tag of tags) {
      const answer = tag && (await unlessRefused(this.#client.request(method, [tag, false], once)));
      if (answer) return decodePointer(method, answer);
    }
    return undefined;
  }
}

async function unlessRefused(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError || error instanceof ReorgError) return undefined;
    throw error;
  }
}

const hex = (number: number): string => `0x${number.toString(16)}`;
const short = ({ hash }: BlockPointer): string => `${hash.slice(0, 12)}…`;
