/**
 * Does work that may only wait for a time, such as for a retry. Such waits alone would not keep a process running.
 */
export async function stayingAlive<Result>(work: () => Promise<Result>): Promise<Result> {
  const timer = setInterval(() => undefined, 60_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
