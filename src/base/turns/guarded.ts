/** Receives the failure of a handler. */
export type Fail = (error: unknown) => void;

/**
 * Makes an event handler safe. If a handler throws, Node.js ends the process or thread, so a failure goes to the
 * handler's owner instead. Handlers may be asynchronous.
 * @param fail must not throw
 */
export function guarded<Args extends readonly unknown[]>(
  handle: (...args: Args) => unknown,
  fail: Fail,
): (...args: Args) => void {
  return (...args) => {
    try {
      const result = handle(...args);
      if (result instanceof Promise) inBackground(result, fail);
    } catch (error) {
      fail(error);
    }
  };
}

/**
 * Lets work continue without awaiting it.
 * @param fail receives its failure; it must not throw
 */
export function inBackground(work: Promise<unknown> | undefined, fail: Fail): void {
  work?.catch(fail);
}
