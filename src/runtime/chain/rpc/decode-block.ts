import type { Block, BlockPointer, L1Costs, Log, Receipt, Transaction } from "../chain.js";
import { ChainError } from "../chain.js";
import { decodeSignature } from "../decode-signature.js";
import { addressLength, Fields, hashLength, hexOf } from "../fields.js";

/** A decoded block, and the hashes of the transactions whose gas price requires a receipt. */
export interface DecodedBlock {
  readonly block: Block;
  readonly unpriced: readonly string[];
}

/** @throws ChainError when a field is missing or malformed */
export function decodeBlock(method: string, value: unknown): DecodedBlock {
  const fields = new Fields(method, value);
  const baseFeePerGas = fields.quantityOrNull("baseFeePerGas");
  const transactions = new Map<string, Transaction>();
  const unpriced: string[] = [];
  for (const entry of fields.objects("transactions")) {
    const price = priceOf(entry, baseFeePerGas);
    const transaction = decodeTransaction(entry, price ?? 0n);
    if (price === undefined) unpriced.push(transaction.hash);
    transactions.set(transaction.hash, transaction);
  }
  return { block: { ...decodeHeader(fields, baseFeePerGas), transactions }, unpriced };
}

/** Decodes a block without its transactions. @throws ChainError when a field is missing or malformed */
export function decodeHeaderOf(method: string, value: unknown): Omit<Block, "transactions"> {
  const fields = new Fields(method, value);
  return decodeHeader(fields, fields.quantityOrNull("baseFeePerGas"));
}

/** Decodes only the number and the hash. */
export function decodePointer(method: string, value: unknown): BlockPointer {
  const fields = new Fields(method, value);
  return { number: fields.number("number"), hash: fields.hex("hash", hashLength) };
}

function decodeHeader(fields: Fields, baseFeePerGas: bigint | null): Omit<Block, "transactions"> {
  return {
    number: fields.number("number"),
    hash: fields.hex("hash", hashLength),
    parentHash: fields.hex("parentHash", hashLength),
    unclesHash: hexOrZeros(fields, "sha3Uncles", hashLength),
    author: hexOrZeros(fields, "miner", addressLength),
    stateRoot: hexOrZeros(fields, "stateRoot", hashLength),
    transactionsRoot: hexOrZeros(fields, "transactionsRoot", hashLength),
    receiptsRoot: hexOrZeros(fields, "receiptsRoot", hashLength),
    gasUsed: fields.quantity("gasUsed"),
    gasLimit: fields.quantity("gasLimit"),
    timestamp: fields.quantity("timestamp"),
    difficulty: fields.quantityOrNull("difficulty") ?? 0n,
    // Nodes of proof-of-stake chains omit it.
    totalDifficulty: fields.quantityOrNull("totalDifficulty") ?? 0n,
    size: fields.quantityOrNull("size"),
    baseFeePerGas,
    ...(fields.has("logsBloom") && { logsBloom: fields.hex("logsBloom") }),
    ...optionalBytes(fields, headerBytes),
    ...optionalQuantities(fields, ["blobGasUsed", "excessBlobGas"]),
    ...withdrawalsIn(fields),
  };
}

/** Withdrawals that are malformed count as absent, since chains differ in them. */
function withdrawalsIn(fields: Fields): Pick<Block, "withdrawals"> {
  const list = fields.raw("withdrawals");
  if (!Array.isArray(list)) return {};
  try {
    return {
      withdrawals: fields.objects("withdrawals").map((one) => ({
        index: one.quantity("index"),
        validatorIndex: one.quantity("validatorIndex"),
        address: one.hex("address", addressLength),
        amount: one.quantity("amount"),
      })),
    };
  } catch (error) {
    if (error instanceof ChainError) return {};
    throw error;
  }
}

/** Zeros in place of a field that the chain lacks, as in graph-node's client. */
function hexOrZeros(fields: Fields, name: string, length: number): string {
  const isMissing = !fields.has(name) || fields.raw(name) === "0x";
  return isMissing ? `0x${"0".repeat(length - 2)}` : fields.hex(name, length);
}

/** Fields of headers that may be absent, with their lengths as in `Fields.hex`. */
const headerBytes = {
  nonce: undefined,
  extraData: undefined,
  withdrawalsRoot: hashLength,
  mixHash: hashLength,
  parentBeaconBlockRoot: hashLength,
  requestsHash: hashLength,
} as const;

function decodeTransaction(fields: Fields, gasPrice: bigint): Transaction {
  const type = optionalType(fields);
  return {
    hash: fields.hex("hash", hashLength),
    index: fields.number("transactionIndex"),
    from: fields.hex("from", addressLength),
    to: fields.hexOrNull("to", addressLength),
    value: fields.quantity("value"),
    gasLimit: fields.quantityOrNull("gas") ?? 0n,
    gasPrice,
    // Some nodes call it as in a request.
    input: fields.hex(fields.has("input") ? "input" : "data"),
    nonce: fields.quantityOrNull("nonce") ?? 0n,
    ...type,
    ...optionalChainId(fields, type.type),
    ...optionalQuantities(fields, feeFields),
    ...optionalQuantities(fields, ["mint"]),
    ...optionalBytes(fields, { sourceHash: hashLength }),
    ...decodeSignature(fields, type.type),
    ...(Array.isArray(fields.raw("blobVersionedHashes")) && {
      blobVersionedHashes: fields.hexList("blobVersionedHashes", hashLength),
    }),
  };
}

/** The effective gas price of a mined transaction; `undefined` when its fields do not determine it. */
function priceOf(fields: Fields, baseFee: bigint | null): bigint | undefined {
  if (fields.has("gasPrice")) return fields.quantity("gasPrice");
  if (!fields.has("maxFeePerGas") || baseFee === null) return undefined;
  const most = fields.quantity("maxFeePerGas");
  const wanted = baseFee + (fields.quantityOrNull("maxPriorityFeePerGas") ?? 0n);
  return wanted < most ? wanted : most;
}

/**
 * Decodes logs. Consecutive logs share most of their strings, which saves checks and memory.
 * @throws ChainError when a field is missing or malformed
 */
export function decodeLogs(all: readonly Fields[]): readonly Log[] {
  let before: Log | undefined;
  return all.map((fields) => {
    before = decodeLog(fields, before);
    return before;
  });
}

/**
 * @param before a log whose strings are reused if they are equal
 * @throws ChainError when a field is missing or malformed
 */
export function decodeLog(fields: Fields, before?: Log): Log {
  return {
    address: fields.hex("address", addressLength, before?.address),
    topics: fields.hexList("topics", hashLength, before?.topics),
    data: fields.hex("data"),
    block: decodeLogBlock(fields, before?.block),
    transactionHash: fields.hex("transactionHash", hashLength, before?.transactionHash),
    transactionIndex: fields.number("transactionIndex"),
    logIndex: fields.number("logIndex"),
    removed: fields.raw("removed") === true,
  };
}

function decodeLogBlock(fields: Fields, before: BlockPointer | undefined): BlockPointer {
  const number = fields.number("blockNumber");
  const hash = fields.hex("blockHash", hashLength, before?.hash);
  return before?.number === number && before.hash === hash ? before : { number, hash };
}

/** @throws ChainError when a field is missing or malformed */
export function decodeReceipt(method: string, value: unknown): Receipt {
  const fields = new Fields(method, value);
  const version = fields.quantityOrNull("depositReceiptVersion");
  return {
    ...(fields.has("type") && { type: fields.number("type") }),
    ...(version !== null && { deposit: { nonce: fields.quantity("depositNonce"), version } }),
    transactionHash: fields.hex("transactionHash", hashLength),
    transactionIndex: fields.number("transactionIndex"),
    block: { number: fields.number("blockNumber"), hash: fields.hex("blockHash", hashLength) },
    ...optionalBytes(fields, { from: addressLength, to: addressLength }),
    ...(fields.raw("to") === null && { to: null }),
    cumulativeGasUsed: fields.quantity("cumulativeGasUsed"),
    gasUsed: fields.quantity("gasUsed"),
    contractAddress: fields.hexOrNull("contractAddress", addressLength),
    logs: decodeLogs(fields.objects("logs")),
    status: fields.quantityOrNull("status"),
    root: fields.hexOrNull("root"),
    logsBloom: fields.hex("logsBloom"),
    ...optionalQuantities(fields, ["effectiveGasPrice"]),
    ...decodeL1Costs(fields),
  };
}

/** By field of `L1Costs`, the names in receipts. */
const l1Quantities = {
  fee: "l1Fee",
  gasUsed: "l1GasUsed",
  gasPrice: "l1GasPrice",
  blobBaseFee: "l1BlobBaseFee",
  blobBaseFeeScalar: "l1BlobBaseFeeScalar",
  baseFeeScalar: "l1BaseFeeScalar",
  blockNumber: "l1BlockNumber",
} as const satisfies Partial<Record<keyof L1Costs, string>>;

function decodeL1Costs(fields: Fields): Pick<Receipt, "l1"> {
  const costs: Record<string, bigint | string> = {};
  for (const [key, name] of Object.entries(l1Quantities)) {
    const value = optionalQuantity(fields, name);
    if (value !== undefined) costs[key] = value;
  }
  const scalar = fields.raw("l1FeeScalar");
  if (typeof scalar === "string" && decimalPattern.test(scalar)) costs.feeScalar = scalar;
  return Object.keys(costs).length === 0 ? {} : { l1: costs };
}

const decimalPattern = /^\d{1,20}(\.\d{1,20})?$/;
const feeFields = ["maxFeePerGas", "maxPriorityFeePerGas", "maxFeePerBlobGas"] as const;

/** Fields that no handler sees: a value that is malformed counts as absent, since chains differ in them. */
function optionalQuantities<N extends string>(
  fields: Fields,
  names: readonly N[],
): Partial<Record<N, bigint>> {
  const found: Partial<Record<N, bigint>> = {};
  for (const name of names) {
    const value = optionalQuantity(fields, name);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function optionalQuantity(fields: Fields, name: string): bigint | undefined {
  const value = fields.raw(name);
  return typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;
}

/** @param lengths by field, its length as in `Fields.hex` */
function optionalBytes<N extends string>(
  fields: Fields,
  lengths: Readonly<Record<N, number | undefined>>,
): Partial<Record<N, string>> {
  const found: Partial<Record<N, string>> = {};
  for (const name of Object.keys(lengths) as N[]) {
    const value = hexOf(fields.raw(name), lengths[name]);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function optionalType(fields: Fields): Pick<Transaction, "type"> {
  const type = optionalQuantity(fields, "type");
  return type === undefined || type > 255n ? {} : { type: Number(type) };
}

function optionalChainId(fields: Fields, type = 0): Pick<Transaction, "chainId"> {
  const chainId = type > 0 ? optionalQuantity(fields, "chainId") : undefined;
  return chainId === undefined ? {} : { chainId: `${chainId}` };
}
