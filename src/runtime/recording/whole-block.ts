import { Fields } from "../chain/fields.js";
import { Bloom } from "../chain/proof/bloom.js";
import { decodeLog } from "../chain/rpc/decode-block.js";
import type { RawObject, RecordedBlock, RecordedTransaction, Recording } from "./recording.js";

/** The default fields of blocks, transactions and receipts. */
export type Common = Pick<Recording, "block" | "transaction" | "receipt">;

/** A block of a recording with its place in the chain. It derives omitted data on demand. */
export class WholeBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly #recorded: RecordedBlock;
  readonly #common: Common;
  #logs: readonly (readonly RawObject[])[] | undefined;
  #json: (RawObject & { readonly transactions: readonly RawObject[] }) | undefined;
  #receipts: readonly RawObject[] | undefined;

  /** @param parent its parent; without one, the fields of the block contain its number and the hash of its parent */
  constructor(recorded: RecordedBlock, parent: WholeBlock | undefined, common: Common) {
    this.number = parent ? parent.number + 1 : Number(recorded.fields.number);
    this.hash = recorded.hash;
    this.parentHash = parent?.hash ?? String(recorded.fields.parentHash);
    this.#recorded = recorded;
    this.#common = common;
  }

  /** The block with full transactions. */
  get json(): RawObject & { readonly transactions: readonly RawObject[] } {
    const used = this.#transactions.reduce((sum, one) => sum + this.#gasOf(one), 0n);
    this.#json ??= {
      ...this.#common.block,
      ...this.#recorded.fields,
      number: quantity(this.number),
      hash: this.hash,
      parentHash: this.parentHash,
      gasUsed: quantity(used),
      logsBloom: bloomOf(this.logs),
      transactions: this.#transactions.map(({ hash, fields }, index) => ({
        ...this.#common.transaction,
        ...fields,
        ...this.#place,
        hash,
        transactionIndex: quantity(index),
      })),
    };
    return this.#json;
  }

  /** The receipts of its transactions, in order. */
  get receipts(): readonly RawObject[] {
    this.#receipts ??= this.#transactions.map((transaction, index) => {
      const { fields, receipt } = transaction;
      const before = this.#transactions.slice(0, index + 1);
      const logs = this.#logsByTransaction[index] ?? [];
      const { gasPrice, from, to } = { ...this.#common.transaction, ...fields } as RawObject;
      return {
        effectiveGasPrice: gasPrice,
        ...this.#common.receipt,
        ...receipt,
        ...this.#placeOf(transaction, index),
        from,
        to: to ?? null,
        cumulativeGasUsed: quantity(before.reduce((sum, one) => sum + this.#gasOf(one), 0n)),
        logs,
        logsBloom: bloomOf(logs),
      };
    });
    return this.#receipts;
  }

  /** All its logs, in order. */
  get logs(): readonly RawObject[] {
    return this.#logsByTransaction.flat();
  }

  get #transactions(): readonly RecordedTransaction[] {
    return this.#recorded.transactions ?? [];
  }

  get #logsByTransaction(): readonly (readonly RawObject[])[] {
    let index = 0;
    this.#logs ??= this.#transactions.map((transaction, at) =>
      (transaction.logs ?? []).map((log) => ({
        ...log,
        ...this.#placeOf(transaction, at),
        logIndex: quantity(index++),
        removed: false,
      })),
    );
    return this.#logs;
  }

  get #place(): RawObject {
    return { blockHash: this.hash, blockNumber: quantity(this.number) };
  }

  #placeOf({ hash }: RecordedTransaction, index: number): RawObject {
    return { ...this.#place, transactionHash: hash, transactionIndex: quantity(index) };
  }

  #gasOf({ receipt }: RecordedTransaction): bigint {
    return BigInt(String(receipt.gasUsed ?? this.#common.receipt.gasUsed));
  }
}

/** A number as nodes write it: a hex quantity. */
export function quantity(number: number | bigint): string {
  return `0x${number.toString(16)}`;
}

function bloomOf(logs: readonly RawObject[]): string {
  return Bloom.of(logs.map((log) => decodeLog(new Fields("recording", log)))).hex;
}
