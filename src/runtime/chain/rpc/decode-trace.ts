import type { Block, CallTrace, Transaction } from "../chain.js";
import { ReorgError } from "../chain.js";
import { addressLength, type Fields, hashLength, objectsOf } from "../fields.js";

/** The kind of a call: "call", "delegatecall", "staticcall" or "callcode". */
export type CallKind = string;

/**
 * Checks that traces belong to a block: all have its hash, and every transaction has traces.
 * @throws ReorgError when they do not
 */
export function checkTraced(method: string, traces: readonly Fields[], block: Block): void {
  if (traces.some((trace) => trace.hex("blockHash", hashLength) !== block.hash)) {
    throw new ReorgError(`${method}: block ${block.number} does not have the hash ${block.hash}`);
  }
  const traced = new Set(
    traces.filter(isOfTransaction).map((trace) => trace.hex("transactionHash", hashLength)),
  );
  const missing = executed(block).find((hash) => !traced.has(hash));
  if (missing === undefined) return;
  throw new ReorgError(`${method}: transaction ${missing} of block ${block.number} has no traces`);
}

/** Whether the traces are complete: every trace has as many children as it announces. */
export function isWhole(traces: readonly Fields[]): boolean {
  let announced = 0;
  for (const trace of traces.filter(isOfTransaction)) {
    if (!trace.has("subtraces")) return true;
    announced += trace.number("subtraces") - (trace.list("traceAddress").length === 0 ? 0 : 1);
  }
  return announced === 0;
}

/** The transactions that have traces. Transactions that the chain itself creates, without gas, have none. */
function executed({ transactions }: Block): readonly string[] {
  return [...transactions.values()].flatMap(({ hash, gasLimit }) => (gasLimit > 0n ? [hash] : []));
}

/** Whether a trace belongs to a transaction; block rewards do not. */
function isOfTransaction(trace: Fields): boolean {
  return trace.has("transactionPosition");
}

/**
 * The calls of the wanted kinds among the traces of `trace_block`. Every trace precedes those inside it. Failed calls
 * are omitted. As in graph-node, a call that succeeded inside a call that was reverted later is kept.
 */
export function decodeFlatTraces(
  traces: readonly Fields[],
  kinds: ReadonlySet<CallKind>,
): readonly CallTrace[] {
  const calls: CallTrace[] = [];
  let failed: string | undefined;
  for (const trace of traces.filter(isOfTransaction)) {
    const transaction = trace.hex("transactionHash", hashLength);
    const hasFailed = trace.has("error");
    if (hasFailed && trace.list("traceAddress").length === 0) failed = transaction;
    if (hasFailed || trace.text("type") !== "call") continue;
    pushFlat(calls, trace, { transactionHash: transaction, ...undone(transaction === failed) }, kinds);
  }
  return calls;
}

function pushFlat(
  calls: CallTrace[],
  trace: Fields,
  transaction: Pick<CallTrace, "transactionHash" | "isUndone">,
  kinds: ReadonlySet<CallKind>,
): void {
  const action = trace.object("action");
  if (!kinds.has(action.text("callType"))) return;
  calls.push({
    from: action.hex("from", addressLength),
    to: action.hex("to", addressLength),
    input: action.hex("input"),
    output: trace.object("result").hex("output"),
    transactionIndex: trace.number("transactionPosition"),
    ...transaction,
  });
}

function undone(isUndone: boolean): Pick<CallTrace, "isUndone"> {
  return isUndone ? { isUndone } : {};
}

/**
 * The calls of a `debug_traceBlockByHash` answer with the callTracer: one tree per transaction.
 * @throws ReorgError when the traces belong to a different block
 */
export function decodeTraceTrees(
  method: string,
  value: unknown,
  block: Block,
  kinds: ReadonlySet<CallKind>,
): readonly CallTrace[] {
  const calls: CallTrace[] = [];
  for (const { transaction, whole } of treesOf(method, value, block)) {
    const place = { transactionHash: transaction.hash, transactionIndex: transaction.index };
    pushTree(calls, whole, { ...place, ...undone(whole.has("error")) }, kinds);
  }
  return calls;
}

/** A transaction and the root of its trace. */
export interface TraceTree {
  readonly transaction: Transaction;
  readonly whole: Fields;
}

/**
 * The trees of a `debug_traceBlockByHash` answer, one for each transaction.
 * @throws ReorgError when the traces belong to a different block
 */
export function treesOf(method: string, value: unknown, block: Block): readonly TraceTree[] {
  const entries = objectsOf(method, value);
  const all = [...block.transactions.keys()];
  const hashes = entries.length === all.length ? all : executed(block);
  if (entries.length !== hashes.length) {
    throw new ReorgError(
      `${method}: ${entries.length} traces for the ${all.length} transactions of block ${block.number}`,
    );
  }
  return entries.map((entry, index) => {
    // Older nodes omit the hash. The traces are in the order of the block.
    const transactionHash = entry.has("txHash") ? entry.hex("txHash", hashLength) : hashes[index];
    const transaction = block.transactions.get(transactionHash ?? "");
    if (!transaction) throw new ReorgError(`${method}: ${transactionHash} is not in block ${block.hash}`);
    if (!entry.has("result")) throw new ReorgError(`${method}: no trace of ${transaction.hash}`);
    return { transaction, whole: entry.object("result") };
  });
}

function pushTree(
  calls: CallTrace[],
  frame: Fields,
  transaction: Pick<CallTrace, "transactionHash" | "transactionIndex" | "isUndone">,
  kinds: ReadonlySet<CallKind>,
): void {
  if (!frame.has("error") && kinds.has(frame.text("type").toLowerCase())) {
    calls.push({
      from: frame.hex("from", addressLength),
      to: frame.hex("to", addressLength),
      input: frame.hex("input"),
      output: frame.hexOrNull("output") ?? "0x",
      ...transaction,
    });
  }
  if (!frame.has("calls")) return;
  for (const inner of frame.objects("calls")) pushTree(calls, inner, transaction, kinds);
}
