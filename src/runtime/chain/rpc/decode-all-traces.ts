import type { Block, Trace } from "../chain.js";
import { addressLength, type Fields, hashLength } from "../fields.js";
import { treesOf } from "./decode-trace.js";

/**
 * All traces of a `trace_block` answer, in its order: each precedes those inside it.
 * @throws ChainError when a field is missing or malformed
 */
export function allFlatTraces(traces: readonly Fields[]): readonly Trace[] {
  /** Paths of failed traces, by transaction. */
  const failed = new Map<string, string[]>();
  return traces.map((trace) => {
    const transaction = trace.has("transactionHash") ? trace.hex("transactionHash", hashLength) : null;
    const address = trace.list("traceAddress").map(Number);
    const path = pathOf(address);
    const above = failed.get(transaction ?? "") ?? [];
    const hasFailed = trace.has("error");
    if (hasFailed) failed.set(transaction ?? "", [...above, path]);
    return {
      ...flatContent(trace),
      transactionHash: transaction,
      transactionIndex: trace.has("transactionPosition") ? trace.number("transactionPosition") : null,
      subtraces: trace.has("subtraces") ? trace.number("subtraces") : 0,
      address,
      error: hasFailed ? trace.text("error") : null,
      succeeded: !hasFailed && !above.some((other) => path.startsWith(other)),
    };
  });
}

type Content = Omit<
  Trace,
  "transactionHash" | "transactionIndex" | "subtraces" | "address" | "error" | "succeeded"
>;

const empty = { input: null, output: null, callType: null, rewardType: null, gas: null, gasUsed: null };

function flatContent(trace: Fields): Content {
  const action = trace.object("action");
  const result = trace.has("result") ? trace.object("result") : undefined;
  const kind = trace.text("type");
  switch (kind) {
    case "call":
      return {
        ...empty,
        kind,
        from: action.hex("from", addressLength),
        to: action.hex("to", addressLength),
        value: action.quantityOrNull("value") ?? 0n,
        input: action.hexOrNull("input"),
        output: result?.hexOrNull("output") ?? null,
        callType: action.text("callType"),
        gas: action.quantityOrNull("gas"),
        gasUsed: result?.quantityOrNull("gasUsed") ?? null,
      };
    case "create":
      return {
        ...empty,
        kind,
        from: action.hex("from", addressLength),
        to: result?.hexOrNull("address", addressLength) ?? null,
        value: action.quantityOrNull("value") ?? 0n,
        input: action.hexOrNull("init"),
        output: result?.hexOrNull("code") ?? null,
        gas: action.quantityOrNull("gas"),
        gasUsed: result?.quantityOrNull("gasUsed") ?? null,
      };
    case "suicide":
      return {
        ...empty,
        kind,
        from: action.hex("address", addressLength),
        to: action.hexOrNull("refundAddress", addressLength),
        value: action.quantityOrNull("balance") ?? 0n,
      };
    case "reward":
      return {
        ...empty,
        kind,
        from: null,
        to: action.hex("author", addressLength),
        value: action.quantity("value"),
        rewardType: action.text("rewardType"),
      };
    default:
      throw trace.nonsense("type", "call, create, suicide or reward");
  }
}

/**
 * All traces of a `debug_traceBlockByHash` answer with the callTracer, in the order of execution.
 * @throws ReorgError when they belong to a different block; ChainError when a field is missing or malformed
 */
export function allTreeTraces(method: string, value: unknown, block: Block): readonly Trace[] {
  return treesOf(method, value, block).flatMap(({ transaction, whole }) => {
    const traces: Trace[] = [];
    const place = { transactionHash: transaction.hash, transactionIndex: transaction.index };
    pushFrame(traces, whole, place, [], true);
    return traces;
  });
}

function pushFrame(
  traces: Trace[],
  frame: Fields,
  place: Pick<Trace, "transactionHash" | "transactionIndex">,
  address: readonly number[],
  isGood: boolean,
): void {
  const inner = frame.has("calls") ? frame.objects("calls") : [];
  const error = frame.has("error") ? frame.text("error") : null;
  const succeeded = isGood && error === null;
  traces.push({ ...frameContent(frame), ...place, subtraces: inner.length, address, error, succeeded });
  for (const [index, one] of inner.entries()) pushFrame(traces, one, place, [...address, index], succeeded);
}

function frameContent(frame: Fields): Content {
  const type = frame.text("type").toLowerCase();
  const from = frame.hex("from", addressLength);
  const to = frame.hexOrNull("to", addressLength);
  const value = frame.quantityOrNull("value") ?? 0n;
  if (type === "selfdestruct") return { ...empty, kind: "suicide", from, to, value };
  const isCreation = type === "create" || type === "create2";
  return {
    kind: isCreation ? "create" : "call",
    from,
    to: isCreation && frame.has("error") ? null : to,
    value,
    input: frame.hexOrNull("input"),
    output: frame.hexOrNull("output"),
    callType: isCreation ? null : type,
    rewardType: null,
    gas: frame.quantityOrNull("gas"),
    gasUsed: frame.quantityOrNull("gasUsed"),
  };
}

/** With a mark at the end of each number, so that "1" is not the beginning of "10". */
function pathOf(address: readonly number[]): string {
  return address.map((index) => `${index},`).join("");
}
