/** A batch of one of several streams. */
export interface NamedBatch<T> {
  readonly name: string;
  readonly batch: T;
}

/** What a stream has answered. */
type Answer<T> =
  | { readonly kind: "result"; readonly name: string; readonly result: IteratorResult<T> }
  | { readonly kind: "failed"; readonly error: unknown };

/**
 * The batches of several streams as they come. Of each stream, the next batch is read while one is taken.
 * @param failure ends the streams with its error when it rejects
 */
export async function* mergeBatches<T>(
  streams: ReadonlyMap<string, AsyncIterable<T>>,
  failure?: Promise<never>,
): AsyncGenerator<NamedBatch<T>, void, void> {
  const iterators = new Map([...streams].map(([name, stream]) => [name, stream[Symbol.asyncIterator]()]));
  const answers: Answer<T>[] = [];
  let wake: () => void = () => undefined;
  const answer = (one: Answer<T>): void => {
    answers.push(one);
    wake();
  };
  const fail = (error: unknown): void => answer({ kind: "failed", error });
  failure?.catch(fail);
  let open = 0;
  const ask = (name: string, iterator: AsyncIterator<T>): void => {
    open += 1;
    iterator.next().then((result) => answer({ kind: "result", name, result }), fail);
  };
  try {
    for (const [name, iterator] of iterators) ask(name, iterator);
    while (open > 0) {
      const next = answers.shift();
      if (!next) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      if (next.kind === "failed") throw next.error;
      open -= 1;
      const { name, result } = next;
      if (result.done) continue;
      const iterator = iterators.get(name);
      if (iterator) ask(name, iterator);
      yield { name, batch: result.value };
    }
  } finally {
    // Not awaited: a stream that waits for its node ends when the node answers.
    for (const iterator of iterators.values()) void iterator.return?.().catch(() => undefined);
  }
}
