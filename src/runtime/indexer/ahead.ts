/**
 * Works off tasks in order while the next ones are already under way.
 * @param depth how many tasks may be under way beside the one that is waited for
 */
export async function* ahead<T, R>(
  items: readonly T[],
  depth: number,
  task: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  let next = 0;
  while (next < items.length || running.length > 0) {
    while (next < items.length && running.length <= depth) {
      const started = task(items[next++] as T);
      // Whoever waits for it is told; until then a failure must not count as unhandled.
      started.catch(() => undefined);
      running.push(started);
    }
    yield await (running.shift() as Promise<R>);
  }
}

/** A list in pieces of a size, the last one being shorter. */
export function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
