import { channel } from "node:diagnostics_channel";
import { BroadcastChannel, isMainThread } from "node:worker_threads";

/** The name under which threads report failures to each other. */
const name = "graphloom:failures";
/** The failures of this thread. */
const own = channel(name);
const reported = new WeakSet<object>();

/**
 * Logs a failure that has no owner, or whose message is not for users, with its stack, for the operators of the
 * program. A thread's failure goes to the log of its process. Each error is reported once.
 */
export function reportFailure(error: unknown): void {
  if (typeof error === "object" && error !== null) {
    if (reported.has(error)) return;
    reported.add(error);
  }
  relayFailure(stackOf(error));
}

/** Logs a failure that another process has reported. */
export function relayFailure(stack: string): void {
  if (own.hasSubscribers) own.publish(stack);
  else if (isMainThread) process.emitWarning(stack, "UnexpectedFailure");
  else tellProcess(stack);
}

/**
 * Listens to failures of this thread, and of all threads if this is the main one.
 * @param hear receives the stack of an error; it must not throw
 * @returns a function that stops listening
 */
export function hearFailures(hear: (stack: string) => void): () => void {
  const listen = (stack: unknown): void => hear(String(stack));
  own.subscribe(listen);
  const threads = isMainThread ? new BroadcastChannel(name) : undefined;
  if (threads) {
    threads.onmessage = (event) => listen((event as { readonly data: unknown }).data);
    threads.unref();
  }
  return () => {
    own.unsubscribe(listen);
    threads?.close();
  };
}

function tellProcess(stack: string): void {
  const threads = new BroadcastChannel(name);
  threads.postMessage(stack);
  threads.close();
}

/** The stack of an error, and of its causes. */
function stackOf(error: unknown): string {
  const stacks: string[] = [];
  for (let cause = error; cause !== undefined && stacks.length < mostCauses; ) {
    stacks.push(cause instanceof Error ? (cause.stack ?? String(cause)) : describe(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return stacks.join("\ncaused by: ") || "undefined was thrown";
}

const mostCauses = 5;

/** Describes a thrown value that is not an error. Its own `toString` may throw as well. */
function describe(thrown: unknown): string {
  try {
    return `${typeof thrown} was thrown: ${String(thrown)}`;
  } catch {
    return `${typeof thrown} was thrown`;
  }
}
