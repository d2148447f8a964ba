import type { BlockPointer, CallTrace } from "./chain.js";
import { ReorgError } from "./chain.js";
import { ADDRESS, type Fields, HASH, objectsOf } from "./fields.js";

/** How a call was made: "call", "delegatecall", "staticcall" or "callcode". */
export type CallKind = string;

/**
 * Calls of a `trace_block` answer that are of the kinds wanted: a flat list, every trace before those inside it. A call
 * that failed is left out, and so are all of a transaction that failed; one that went well inside of a call that was
 * reverted later is not, as graph-node has it.
 * @throws ReorgError when the traces are of another block
 */
export function decodeFlatTraces(
  method: string,
  value: unknown,
  block: BlockPointer,
  kinds: ReadonlySet<CallKind>,
): readonly CallTrace[] {
  const calls: CallTrace[] = [];
  let failed: string | undefined;
  for (const trace of objectsOf(method, value)) {
    if (trace.hex("blockHash", HASH) !== block.hash) {
      throw new ReorgError(`${method}: block ${block.number} is another one than ${block.hash}`);
    }
    // Rewards of miners belong to no transaction.
    if (!trace.has("transactionPosition")) continue;
    const transaction = trace.hex("transactionHash", HASH);
    const hasFailed = trace.has("error");
    if (hasFailed && trace.list("traceAddress").length === 0) failed = transaction;
    if (hasFailed || transaction === failed) continue;
    if (trace.text("type") === "call") pushFlat(calls, trace, transaction, kinds);
  }
  return calls;
}

function pushFlat(
  calls: CallTrace[],
  trace: Fields,
  transactionHash: string,
  kinds: ReadonlySet<CallKind>,
): void {
  const action = trace.object("action");
  if (!kinds.has(action.text("callType"))) return;
  calls.push({
    from: action.hex("from", ADDRESS),
    to: action.hex("to", ADDRESS),
    input: action.hex("input"),
    output: trace.object("result").hex("output"),
    transactionHash,
    transactionIndex: trace.number("transactionPosition"),
  });
}

/** The same calls of a `debug_traceBlockByHash` answer by callTracer: per transaction a tree. */
export function decodeTraceTrees(
  method: string,
  value: unknown,
  hashes: readonly string[],
  kinds: ReadonlySet<CallKind>,
): readonly CallTrace[] {
  const calls: CallTrace[] = [];
  objectsOf(method, value).forEach((entry, transactionIndex) => {
    // Older nodes leave the hash out; the order is that of the block.
    const transactionHash = entry.has("txHash") ? entry.hex("txHash", HASH) : hashes[transactionIndex];
    if (transactionHash === undefined) throw entry.nonsense("txHash", "the hash of a transaction");
    const whole = entry.object("result");
    if (!whole.has("error")) pushTree(calls, whole, { transactionHash, transactionIndex }, kinds);
  });
  return calls;
}

function pushTree(
  calls: CallTrace[],
  frame: Fields,
  transaction: Pick<CallTrace, "transactionHash" | "transactionIndex">,
  kinds: ReadonlySet<CallKind>,
): void {
  if (!frame.has("error") && kinds.has(frame.text("type").toLowerCase())) {
    calls.push({
      from: frame.hex("from", ADDRESS),
      to: frame.hex("to", ADDRESS),
      input: frame.hex("input"),
      output: frame.hexOrNull("output") ?? "0x",
      ...transaction,
    });
  }
  if (!frame.has("calls")) return;
  for (const inner of frame.objects("calls")) pushTree(calls, inner, transaction, kinds);
}

/** Whether answers by callTracer lack the hashes of their transactions. */
export function lackHashes(method: string, value: unknown): boolean {
  return objectsOf(method, value).some((entry) => !entry.has("txHash"));
}
