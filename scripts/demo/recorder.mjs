import { isDeepStrictEqual } from "node:util";

const derivedOfBlock = ["number", "hash", "parentHash", "gasUsed", "logsBloom", "transactions"];
const derivedOfTransaction = ["hash", "blockHash", "blockNumber", "transactionIndex"];
/** Signatures say nothing to a subgraph, and are a third of the bytes. */
const signature = ["r", "s", "v", "yParity"];
/** When the recording was made. */
const moment = ["blockTimestamp"];
const derivedOfReceipt = [
  ...["transactionHash", "transactionIndex", "blockHash", "blockNumber", "from", "to"],
  ...["cumulativeGasUsed", "logs", "logsBloom"],
];

/** Collects the blocks of a chain as they come, and what contracts answer. */
export class Recorder {
  #client;
  #blocks = [];
  #contracts = {};
  /** Calls whose answers may change: address and data. */
  #calls = [];
  #last = new Map();

  constructor(client) {
    this.#client = client;
  }

  get count() {
    return this.#blocks.length;
  }

  get size() {
    return {
      blocks: this.#blocks.length,
      transactions: this.#blocks.reduce((sum, { transactions }) => sum + transactions.length, 0),
      logs: this.#blocks
        .flatMap(({ transactions }) => transactions)
        .reduce((sum, { logs }) => sum + logs.length, 0),
    };
  }

  /** A contract whose answers are to be recorded. @param constant functions whose answers stay, and the others, with their arguments */
  async follow(contract, since, constant, changing) {
    const { address, abi } = contract;
    const functions = {};
    for (const name of constant) {
      const data = abi.encodeFunctionData(name);
      functions[data] = await this.#client.ask("eth_call", { to: address, data }, "latest");
    }
    for (const [name, lists] of Object.entries(changing)) {
      functions[abi.getFunction(name).selector] = `0x${"0".repeat(64)}`;
      for (const list of lists) this.#calls.push({ address, data: abi.encodeFunctionData(name, list) });
    }
    const code = await this.#client.ask("eth_getCode", address, "latest");
    this.#contracts[address] = { code, since, functions };
  }

  /** What contracts answer now, to go back to with a chain that does. */
  remember() {
    return new Map(this.#last);
  }

  recall(last) {
    this.#last = last;
  }

  /** What a function answered last. */
  answer({ address, abi }, name, list = []) {
    const found = this.#last.get(`${address} ${abi.encodeFunctionData(name, list)}`);
    return found === undefined ? 0n : abi.decodeFunctionResult(name, found)[0];
  }

  /** Records the newest block. */
  async record({ waits = false } = {}) {
    const block = await this.#client.ask("eth_getBlockByNumber", "latest", true);
    const receipts = await this.#client.ask("eth_getBlockReceipts", block.number);
    const failed = receipts.find(({ status }) => status !== "0x1");
    if (failed) throw new Error(`A transaction failed in block ${Number(block.number)}`);
    const previous = this.#blocks.at(-1);
    this.#blocks.push({
      hash: block.hash,
      ...(previous && previous.hash !== block.parentHash && { parent: block.parentHash }),
      ...(waits && { waits: true }),
      fields: {
        ...without(block, derivedOfBlock),
        ...(!previous && { number: block.number, parentHash: block.parentHash }),
      },
      transactions: block.transactions.map((transaction, index) => ({
        hash: transaction.hash,
        fields: without(transaction, [...derivedOfTransaction, ...signature, ...moment]),
        receipt: without(receipts[index], [
          ...derivedOfReceipt,
          ...moment,
          ...(receipts[index].effectiveGasPrice === transaction.gasPrice ? ["effectiveGasPrice"] : []),
        ]),
        logs: receipts[index].logs.map(({ address, topics, data }) => ({ address, topics, data })),
      })),
      calls: await this.#changes(),
    });
  }

  async #changes() {
    if (this.#calls.length === 0) return {};
    const answers = await this.#client.askAll(
      this.#calls.map(({ address, data }) => ["eth_call", { to: address, data }, "latest"]),
    );
    const changed = {};
    for (const [index, { address, data }] of this.#calls.entries()) {
      const key = `${address} ${data}`;
      const before = this.#last.get(key) ?? this.#contracts[address].functions[data.slice(0, 10)];
      if (before === answers[index]) continue;
      this.#last.set(key, answers[index]);
      changed[address] ??= {};
      changed[address][data] = answers[index];
    }
    return changed;
  }

  /** The lines of the recording. */
  lines(head) {
    const transactions = this.#blocks.flatMap((block) => block.transactions);
    const common = {
      block: commonOf(this.#blocks.map(({ fields }) => fields)),
      transaction: commonOf(transactions.map(({ fields }) => fields)),
      receipt: commonOf(transactions.map(({ receipt }) => receipt)),
    };
    const blocks = this.#blocks.map((block) => ({
      ...block,
      fields: differing(block.fields, common.block),
      transactions: orNothing(
        block.transactions.map((transaction) => ({
          ...transaction,
          fields: differing(transaction.fields, common.transaction),
          receipt: differing(transaction.receipt, common.receipt),
          logs: orNothing(transaction.logs),
        })),
      ),
      calls: orNothing(block.calls),
    }));
    return [{ ...head, ...common, contracts: this.#contracts }, ...blocks].map((line) =>
      JSON.stringify(line),
    );
  }
}

function orNothing(value) {
  return Object.keys(value).length === 0 ? undefined : value;
}

function without(object, names) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** The fields that most objects have with one and the same value. */
function commonOf(objects) {
  const common = {};
  for (const name of new Set(objects.flatMap(Object.keys))) {
    const counts = new Map();
    for (const object of objects) {
      const text = JSON.stringify(object[name]);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    // What some do not have cannot be common to all.
    if (counts.has(undefined)) continue;
    const [text, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most));
    if (count * 2 > objects.length) common[name] = JSON.parse(text);
  }
  return common;
}

function differing(object, common) {
  return Object.fromEntries(
    Object.entries(object).filter(([name, value]) => !isDeepStrictEqual(common[name], value)),
  );
}
