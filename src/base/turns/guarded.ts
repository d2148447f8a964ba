/** Where the failure of a handler goes: to whatever its owner does when it fails. */
export type Fail = (error: unknown) => void;

/**
 * Makes a handler of events safe. Node.js ends the process when a handler throws, or the thread: so a failure goes to the
 * owner of the handler instead. Handlers may be asynchronous.
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

/** Lets work continue that nothing waits for. @param fail gets its failure; it must not throw */
export function inBackground(work: Promise<unknown> | undefined, fail: Fail): void {
  work?.catch(fail);
}
