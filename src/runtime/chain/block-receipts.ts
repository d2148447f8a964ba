import { type BlockPointer, NonsenseError, type Receipt, ReorgError } from "./chain.js";
import { hexOf } from "./fields.js";
import { decodeReceipt } from "./rpc/decode-block.js";
import type { RpcClient } from "./rpc/rpc-client.js";
import { RpcError, saysUnknownMethod } from "./rpc-errors.js";

/** After this many refusals in a row without any answer, no node of a pool is assumed to have the method. */
const mostRefusals = 3;

/** Requests all receipts of a block at once, as long as the node supports a method for it. */
export class BlockReceipts {
  readonly #whole: ReceiptsMethod;
  readonly #raw: ReceiptsMethod;

  constructor(client: RpcClient) {
    this.#whole = new ReceiptsMethod(client, "eth_getBlockReceipts");
    this.#raw = new ReceiptsMethod(client, "debug_getRawReceipts");
  }

  /** Sorted by transaction index; `undefined` when the node lacks the method. @throws ReorgError, ChainError */
  async find(block: BlockPointer): Promise<readonly Receipt[] | undefined> {
    const list = await this.#whole.ask(block);
    const receipts = list?.map((entry) => decodeReceipt(this.#whole.method, entry));
    if (receipts?.some((receipt) => receipt.block.hash !== block.hash)) {
      throw new ReorgError(
        `${this.#whole.method}: asked for block ${block.hash}, got receipts of a different block`,
      );
    }
    return receipts?.sort((one, other) => one.transactionIndex - other.transactionIndex);
  }

  /** In the encoding of the trie; `undefined` when the node lacks the method. @throws ReorgError, ChainError */
  async findRaw(block: BlockPointer): Promise<readonly string[] | undefined> {
    const list = await this.#raw.ask(block);
    return list?.map((entry) => {
      const raw = hexOf(entry, undefined);
      if (raw === undefined || raw === "0x") throw nonsense(this.#raw.method);
      return raw;
    });
  }
}

/** A JSON-RPC method that returns a list of a block's receipts, used as long as the node supports it. */
class ReceiptsMethod {
  readonly method: string;
  readonly #client: RpcClient;
  /** `undefined` until a node has answered. */
  #isKnown: boolean | undefined;
  #refusals = 0;

  constructor(client: RpcClient, method: string) {
    this.#client = client;
    this.method = method;
  }

  async ask({ hash }: BlockPointer): Promise<readonly unknown[] | undefined> {
    if (this.#isKnown === false) return undefined;
    try {
      const answer = await this.#client.request(this.method, [hash]);
      if (answer === null) throw new ReorgError(`${this.method}: the node does not know block ${hash}`);
      if (!Array.isArray(answer)) throw nonsense(this.method);
      this.#isKnown = true;
      return answer;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return this.#refused(error);
    }
  }

  /** One node of a pool may lack a method that another supports. */
  #refused(error: RpcError): undefined {
    if (this.#isKnown) throw new ReorgError(error.message);
    if (!saysUnknownMethod(error) || ++this.#refusals >= mostRefusals) this.#isKnown = false;
    return undefined;
  }
}

function nonsense(method: string): NonsenseError {
  return new NonsenseError(`${method}: invalid answer from the node: it is not a list of receipts`);
}
