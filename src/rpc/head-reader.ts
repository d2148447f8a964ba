import { isRecord, parseJson } from "../base/text/json-value.js";
import { localChainIds } from "../chains/local-chains.js";
import type { ChainHead, SeenHead } from "./head-watch.js";
import { safeDepth } from "./known-answers.js";
import type { NodeWatch } from "./node-watch.js";
import type { PoolChain } from "./pool-chain.js";

const headRequest = { method: "eth_getBlockByNumber", params: ["latest", false] } as const;
/** Development chains mine blocks only for transactions, so a long pause is normal. */
const localChains: ReadonlySet<string> = new Set([...localChainIds, ""]);

/** Reads a chain's head from its nodes, and the chain's id when the address may lead to another node. */
export class HeadReader {
  readonly #ask: (call: object) => Promise<Uint8Array | undefined>;
  readonly #watch: NodeWatch;
  readonly #chain: Pick<PoolChain, "id">;
  readonly #onReplaced: () => void;
  #chainId: string | undefined;
  #askedChainAfter = 0;

  /**
   * @param ask returns the JSON of a result, or `undefined` if there is none
   * @param chain the chain that the nodes have reported
   * @param onReplaced called when known blocks may have been replaced
   */
  constructor(
    ask: (call: object) => Promise<Uint8Array | undefined>,
    watch: NodeWatch,
    chain: Pick<PoolChain, "id">,
    onReplaced: () => void,
  ) {
    this.#ask = ask;
    this.#watch = watch;
    this.#chain = chain;
    this.#onReplaced = onReplaced;
  }

  /** Decimal; empty if the node does not report it. */
  get chainId(): string | undefined {
    return this.#chainId;
  }

  /** @param last the head seen before */
  async read(last: ChainHead | undefined): Promise<SeenHead | undefined> {
    const result = await this.#ask(headRequest).finally(this.#watch.waits());
    const block = result && parseJson(new TextDecoder().decode(result));
    if (!result || !isRecord(block)) return undefined;
    const { number, hash, timestamp } = block;
    if (typeof number !== "string" || typeof hash !== "string") return undefined;
    const head = { number: Number(number), hash };
    // Drop cached answers about blocks that may have been replaced.
    if (last && head.number < last.number) this.#onReplaced();
    if (this.#chainId === undefined && this.#chain.id !== undefined) {
      this.#chainId = this.#chain.id;
      this.#askedChainAfter = this.#watch.absences;
    }
    const hasJumped = last !== undefined && head.number > last.number + safeDepth;
    if (hasJumped || this.#chainId === undefined || this.#askedChainAfter !== this.#watch.absences)
      await this.#readChainId();
    const isPaced = this.#chainId !== undefined && !localChains.has(this.#chainId);
    this.#watch.sawHead(head.number, isPaced, timeIn(timestamp));
    return { head, result };
  }

  /** The address may now lead to another node. A node that did not report its chain's id is not asked again. */
  async #readChainId(): Promise<void> {
    this.#askedChainAfter = this.#watch.absences;
    const result = await this.#ask({ method: "eth_chainId", params: [] });
    const [, digits] =
      /^"(0x[0-9a-f]{1,16})"$/i.exec(new TextDecoder().decode(result?.subarray(0, 30))) ?? [];
    const chainId = digits === undefined ? "" : String(BigInt(digits));
    if (this.#chainId !== undefined && this.#chainId !== chainId) this.#onReplaced();
    this.#chainId = chainId;
  }
}

/** Milliseconds since 1970 of a block; `undefined` if the node does not say it. */
function timeIn(timestamp: unknown): number | undefined {
  const isSafe = typeof timestamp === "string" && /^0x[0-9a-f]{1,11}$/i.test(timestamp);
  return isSafe ? Number(timestamp) * 1_000 : undefined;
}

/** Whether a call asks for the head in the same way as a reader. */
export function isHeadRequest(method: string, params: unknown): boolean {
  return (
    method === headRequest.method && Array.isArray(params) && params[0] === "latest" && params[1] === false
  );
}
