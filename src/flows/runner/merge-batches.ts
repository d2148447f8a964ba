/** A batch of one of several streams. */
export interface NamedBatch<T> {
  readonly name: string;
  readonly batch: T;
}

/** The batches of several streams as they come. Of each stream, one batch is asked for at a time. */
export async function* mergeBatches<T>(
  streams: ReadonlyMap<string, AsyncIterable<T>>,
): AsyncGenerator<NamedBatch<T>, void, void> {
  const iterators = new Map([...streams].map(([name, stream]) => [name, stream[Symbol.asyncIterator]()]));
  const waiting = new Map<string, Promise<{ readonly name: string; readonly result: IteratorResult<T> }>>();
  const ask = (name: string, iterator: AsyncIterator<T>): void => {
    const answer = iterator.next().then((result) => ({ name, result }));
    // Awaited below; until then a failure must not count as unhandled.
    answer.catch(() => undefined);
    waiting.set(name, answer);
  };
  try {
    for (const [name, iterator] of iterators) ask(name, iterator);
    while (waiting.size > 0) {
      const { name, result } = await Promise.race(waiting.values());
      waiting.delete(name);
      if (result.done) continue;
      yield { name, batch: result.value };
      const iterator = iterators.get(name);
      if (iterator) ask(name, iterator);
    }
  } finally {
    // Not awaited: a stream that waits for its node ends when the node answers.
    for (const iterator of iterators.values()) void iterator.return?.().catch(() => undefined);
  }
}
