import { AbiCoder } from "ethers";
import { beforeAll, describe, expect, it } from "vitest";
import { extract } from "../../src/datasets/extract/extract.js";
import type { Extraction } from "../../src/datasets/extract/extraction.js";
import { LogDecoder } from "../../src/datasets/rows/decoded-rows.js";
import type { DatasetKind, DatasetRow } from "../../src/datasets/tables/dataset.js";
import { datasets } from "../../src/datasets/tables/datasets.js";
import { Patience } from "../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../src/runtime/chain/rpc/patient-chain.js";
import type { RpcClient } from "../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../src/runtime/chain/rpc-chain.js";
import { Verification, type VerifyMode } from "../../src/runtime/indexer/logs/verification.js";
import { type Contract, callOf, useAnvil } from "../support/chain/anvil.js";
import { compileContract } from "../support/chain/solidity.js";

const most = 2n ** 256n - 1n;

/** Emits what each dataset of transfers takes, and what looks alike and is not. */
const source = `
contract Child {
  constructor() payable {}
  function end(address payable to) external { selfdestruct(to); }
}
contract Mover {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
  event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);
  event Named(string indexed name, string text, int256 number, bytes4[] parts, bool flag);
  function fungible(address to, uint256 amount) external { emit Transfer(msg.sender, to, amount); }
  function unique(address to, uint256 id) external {
    bytes32 topic = keccak256("Transfer(address,address,uint256)");
    bytes32 from = bytes32(uint256(uint160(msg.sender)));
    bytes32 whom = bytes32(uint256(uint160(to)));
    assembly { log4(0, 0, topic, from, whom, id) }
  }
  /// An old token, which indexes nothing.
  function old(address to, uint256 amount) external {
    bytes32 topic = keccak256("Transfer(address,address,uint256)");
    assembly {
      mstore(0, caller()) mstore(32, to) mstore(64, amount)
      log1(0, 96, topic)
    }
  }
  function single(address to, uint256 id, uint256 value) external { emit TransferSingle(msg.sender, msg.sender, to, id, value); }
  function batch(address to, uint256[] calldata ids, uint256[] calldata values) external {
    emit TransferBatch(msg.sender, msg.sender, to, ids, values);
  }
  function fail() external pure { revert("no"); }
  function nest(bool undo) external returns (address made) {
    try this.fail() {} catch {}
    made = address(new Child{value: 0}());
    Child(made).end(payable(msg.sender));
    this.inner();
    if (undo) revert("undone");
  }
  function inner() external { emit Transfer(msg.sender, address(this), 1); }
  function named(string calldata name, int256 number, bytes4[] calldata parts) external {
    emit Named(name, name, number, parts, true);
  }
}`;
const contract = compileContract(source, "Mover");

const anvil = useAnvil();
let mover: Contract;
let last: number;

beforeAll(async () => {
  mover = await anvil().deploy(contract.abi, contract.bytecode);
  const to = anvil().account(1);
  await anvil().inOneBlock([
    callOf(mover, "fungible", [to, most]),
    callOf(mover, "fungible", [to, 0n]),
    callOf(mover, "unique", [to, most]),
    callOf(mover, "old", [to, 5n]),
  ]);
  await anvil().send(mover, "single", [to, most, 3n]);
  await anvil().send(mover, "batch", [to, [7n, 8n, most], [1n, 0n, most]]);
  await anvil().send(mover, "batch", [to, [7n], [1n, 2n]]);
  await anvil().send(mover, "named", ["grüße,\n", -(2n ** 255n), ["0x01020304", "0xffffffff"]]);
  await anvil().mine(3);
  last = await anvil().blockNumber();
});

async function rowsOf(
  kind: DatasetKind,
  more: Partial<Extraction> & {
    readonly verify?: VerifyMode;
    readonly lacking?: readonly string[];
    /** Whether the node leaves the last log out of every list of logs, and of every receipt. */
    readonly isShort?: "lists" | "receipts";
  } = {},
): Promise<readonly DatasetRow[]> {
  const chain = createPatientChain(
    createRpcChain(short(without(anvil().client, more.lacking ?? []), more.isShort)),
    new Patience({ limit: 0, pause: async () => undefined, chance: () => 0.5, signal: undefined }),
  );
  const source = { chain, verification: new Verification(more.verify ?? "bloom") };
  const rows: DatasetRow[] = [];
  const spans: number[] = [];
  for await (const batch of extract(
    source,
    { kind, from: 0, to: last, span: 3, ...more },
    await anvil().blockNumber(),
  )) {
    spans.push(batch.from, batch.to);
    rows.push(...batch.rows);
  }
  expect(spans[0]).toBe(more.from ?? 0);
  expect(spans.at(-1)).toBe(last);
  for (const row of rows) expect(Object.keys(row).sort()).toEqual(namesOf(kind));
  return rows;
}

/** A node that leaves out logs. */
function short(client: RpcClient, what: "lists" | "receipts" | undefined): RpcClient {
  const method = what === "lists" ? "eth_getLogs" : "eth_getBlockReceipts";
  return {
    request: async (asked, parameters, options) => {
      const answer = await client.request(asked, parameters, options);
      if (what === undefined || asked !== method) return answer;
      const list = answer as readonly Raw[];
      if (what === "lists") return list.slice(0, -1);
      return list.map((receipt) => ({ ...receipt, logs: receipt.logs.slice(0, -1) }));
    },
  };
}

/** A node that does not know some methods. */
function without(client: RpcClient, methods: readonly string[]): RpcClient {
  return {
    request: (method, parameters, options) =>
      client.request(methods.includes(method) ? "unknown_method" : method, parameters, options),
  };
}

function namesOf(kind: DatasetKind): readonly string[] {
  return datasets[kind].columns.map(({ name }) => name).sort();
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the node, as they are
type Raw = any;

/** All blocks with their receipts, asked for one by one. */
async function readOneByOne(): Promise<
  readonly { readonly block: Raw; readonly receipts: readonly Raw[] }[]
> {
  const found: { readonly block: Raw; readonly receipts: readonly Raw[] }[] = [];
  for (let number = 0; number <= last; number++) {
    const block: Raw = await anvil().client.request("eth_getBlockByNumber", [
      `0x${number.toString(16)}`,
      true,
    ]);
    const receipts: Raw[] = [];
    for (const { hash } of block.transactions)
      receipts.push(await anvil().client.request("eth_getTransactionReceipt", [hash]));
    found.push({ block, receipts });
  }
  return found;
}

const big = (hex: string | undefined): bigint | null => (hex === undefined ? null : BigInt(hex));
const text = (hex: string | undefined): string | null => (hex === undefined ? null : `${BigInt(hex)}`);

function placeOf(log: Raw, block: Raw): DatasetRow {
  return {
    block_number: BigInt(block.number),
    block_hash: block.hash,
    block_timestamp: BigInt(block.timestamp),
    transaction_hash: log.transactionHash,
    transaction_index: BigInt(log.transactionIndex),
    log_index: BigInt(log.logIndex),
  };
}

describe("extraction agrees with reading one by one", () => {
  it("raw_blocks", async () => {
    const read = await readOneByOne();
    expect(await rowsOf("raw_blocks")).toEqual(
      read.map(({ block }) => ({
        id: `block_${block.hash}`,
        number: BigInt(block.number),
        hash: block.hash,
        parent_hash: block.parentHash,
        nonce: block.nonce,
        sha3_uncles: block.sha3Uncles,
        logs_bloom: block.logsBloom,
        transactions_root: block.transactionsRoot,
        state_root: block.stateRoot,
        receipts_root: block.receiptsRoot,
        miner: block.miner,
        difficulty: Number(block.difficulty),
        total_difficulty: Number(block.totalDifficulty ?? 0),
        size: BigInt(block.size),
        extra_data: block.extraData,
        gas_limit: BigInt(block.gasLimit),
        gas_used: BigInt(block.gasUsed),
        timestamp: BigInt(block.timestamp),
        transaction_count: BigInt(block.transactions.length),
        base_fee_per_gas: big(block.baseFeePerGas),
        withdrawals_root: block.withdrawalsRoot ?? null,
        withdrawals: block.withdrawals ? JSON.stringify(block.withdrawals) : null,
        blob_gas_used: big(block.blobGasUsed),
        excess_blob_gas: big(block.excessBlobGas),
      })),
    );
  });

  it.each<VerifyMode>(["off", "bloom", "receipts"])("raw_transactions, proved by %s", async (verify) => {
    const read = await readOneByOne();
    const expected = read.flatMap(({ block, receipts }) =>
      block.transactions.map((transaction: Raw, index: number) => ({
        id: `transaction_${block.hash}_${transaction.hash}`,
        hash: transaction.hash,
        nonce: BigInt(transaction.nonce),
        block_hash: block.hash,
        block_number: BigInt(block.number),
        transaction_index: BigInt(index),
        from_address: transaction.from,
        to_address: transaction.to ?? null,
        value: text(transaction.value),
        gas: text(transaction.gas),
        gas_price: text(receipts[index].effectiveGasPrice),
        input: transaction.input,
        max_fee_per_gas: text(transaction.maxFeePerGas),
        max_priority_fee_per_gas: text(transaction.maxPriorityFeePerGas),
        transaction_type: BigInt(transaction.type),
        block_timestamp: BigInt(block.timestamp),
        receipt_cumulative_gas_used: text(receipts[index].cumulativeGasUsed),
        receipt_gas_used: text(receipts[index].gasUsed),
        receipt_contract_address: receipts[index].contractAddress,
        receipt_status: big(receipts[index].status),
        receipt_effective_gas_price: text(receipts[index].effectiveGasPrice),
        receipt_root_hash: receipts[index].root ?? null,
        receipt_l1_fee: null,
        receipt_l1_gas_used: null,
        receipt_l1_gas_price: null,
        receipt_l1_fee_scalar: null,
        receipt_l1_blob_base_fee: null,
        receipt_l1_blob_base_fee_scalar: null,
        blob_versioned_hashes: null,
        max_fee_per_blob_gas: null,
        receipt_l1_block_number: null,
        receipt_l1_base_fee_scalar: null,
        mint: null,
        source_hash: null,
      })),
    );
    expect(expected.length).toBeGreaterThan(8);
    expect(await rowsOf("raw_transactions", { verify })).toEqual(expected);
  });

  it("raw_logs, of all contracts and of one", async () => {
    const read = await readOneByOne();
    const expected = read.flatMap(({ block, receipts }) =>
      receipts.flatMap((receipt) =>
        receipt.logs.map((log: Raw) => ({
          id: `log_${block.hash}_${BigInt(log.logIndex)}`,
          address: log.address,
          data: log.data,
          topics: log.topics.join(","),
          ...placeOf(log, block),
        })),
      ),
    );
    expect(expected.length).toBe(8);
    expect(await rowsOf("raw_logs")).toEqual(expected);
    expect(await rowsOf("raw_logs", { addresses: [mover.address] })).toEqual(expected);
    expect(await rowsOf("raw_logs", { addresses: [anvil().account(3)] })).toEqual([]);
  });
});

describe("raw_traces", () => {
  interface Frame {
    readonly type: string;
    readonly from: string;
    readonly to?: string;
    readonly input?: string;
    readonly output?: string;
    readonly error?: string;
    readonly calls?: readonly Frame[];
  }

  /** What both kinds of tracers say of a call, in the order of execution. */
  function flatten(frame: Frame, address: readonly number[] = [], isGood = true): readonly unknown[] {
    const type = frame.type.toLowerCase();
    const succeeded = isGood && frame.error === undefined;
    const kind = type.startsWith("create") ? "create" : type === "selfdestruct" ? "suicide" : "call";
    const { calls = [] } = frame;
    return [
      [kind, kind === "call" ? type : null, frame.from, address.join(","), succeeded ? 1n : 0n, calls.length],
      ...calls.flatMap((call, index) => flatten(call, [...address, index], succeeded)),
    ];
  }

  it.each([
    ["trace_block", []],
    ["debug_traceBlockByHash", ["trace_block"]],
  ])("agree with the trace of each transaction, failed and undone calls included: %s", async (_, lacking) => {
    const before = last;
    await anvil().send(mover, "nest", [false]);
    await anvil().transact({ ...callOf(mover, "nest", [true]), gas: 8_000_000 });
    last = await anvil().blockNumber();
    const expected: unknown[] = [];
    for (const { block } of (await readOneByOne()).slice(before + 1)) {
      for (const { hash } of block.transactions)
        expected.push(
          ...flatten(
            (await anvil().client.request("debug_traceTransaction", [
              hash,
              { tracer: "callTracer" },
            ])) as Frame,
          ),
        );
    }
    const rows = await rowsOf("raw_traces", { from: before + 1, lacking });
    last = before;
    expect(expected.length).toBeGreaterThan(9);
    expect(
      rows.map((row) => [
        row.trace_type,
        row.call_type,
        row.from_address,
        row.trace_address,
        row.status,
        Number(row.subtraces),
      ]),
    ).toEqual(expected);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.some(({ trace_type }) => trace_type === "suicide")).toBe(true);
  });
});

describe("a node that omits logs", () => {
  it.each<VerifyMode>([
    "bloom",
    "receipts",
  ])("loses no transfer of settled blocks, proved by %s", async (verify) => {
    const whole = await rowsOf("erc20_transfers");
    await anvil().mine(300);
    const before = last;
    expect(await rowsOf("erc20_transfers", { verify, isShort: "lists", to: before })).toEqual(whole);
  });

  it.each<VerifyMode>([
    "off",
    "bloom",
    "receipts",
  ])("cannot pass off incomplete receipts as complete, with --verify %s", async (verify) => {
    await expect(rowsOf("raw_logs", { verify, isShort: "receipts" })).rejects.toThrow(
      /receipts .*do not match|receipts of block/,
    );
  });
});

describe("transfers", () => {
  it("of fungible tokens are those with two indexed parameters, with amounts of 256 bits", async () => {
    const rows = await rowsOf("erc20_transfers");
    expect(rows.map(({ amount, address }) => [amount, address])).toEqual([
      [`${most}`, mover.address],
      ["0", mover.address],
    ]);
    expect(rows[0]).toMatchObject({
      sender: anvil().account(0).toLowerCase(),
      recipient: anvil().account(1).toLowerCase(),
      id: `token_transfer_${rows[0]?.block_hash}_0`,
    });
  });

  it("of unique tokens are those with three indexed parameters", async () => {
    expect((await rowsOf("erc721_transfers")).map((row) => row.token_id)).toEqual([`${most}`]);
  });

  it("of multi tokens have a row for each token that was moved", async () => {
    const rows = await rowsOf("erc1155_transfers");
    expect(rows.map(({ token_id, amount }) => [token_id, amount])).toEqual([
      [`${most}`, "3"],
      ["7", "1"],
      [`${most}`, `${most}`],
    ]);
    expect(rows.map(({ id }) => String(id).replace(/0x[0-9a-f]+/, ""))).toEqual([
      "token_transfer__0",
      "token_transfer__0_1",
      "token_transfer__0_3",
    ]);
  });
});

describe("decoded logs", () => {
  it("have the parameters of the user's ABI as strings, in their order", async () => {
    const decoder = new LogDecoder([{ abi: contract.abi.filter(({ name }: Raw) => name === "Named") }]);
    const [row, ...more] = await rowsOf("decoded_logs", { decoder });
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      address: mover.address,
      event_signature: "Named(string,string,int256,bytes4[],bool)",
    });
    expect((row?.event_params as readonly string[]).slice(1)).toEqual([
      "grüße,\n",
      `${-(2n ** 255n)}`,
      '["0x01020304","0xffffffff"]',
      "true",
    ]);
  });

  it("prefer the ABI that names the contract", async () => {
    const event = (name: string): object => ({
      type: "event",
      name: "Transfer",
      inputs: ["from", "to", name].map((one, index) => ({
        name: one,
        type: index === 2 ? "uint256" : "address",
        indexed: index < 2,
      })),
    });
    const decoder = new LogDecoder([
      { abi: [event("any")] },
      { abi: [event("own")], addresses: [mover.address] },
    ]);
    const rows = await rowsOf("decoded_logs", { decoder });
    expect(rows.map(({ event_params }) => (event_params as readonly string[])[2])).toEqual([`${most}`, "0"]);
    expect(AbiCoder.defaultAbiCoder().decode(["uint256"], String(rows[0]?.data))[0]).toBe(most);
  });
});
