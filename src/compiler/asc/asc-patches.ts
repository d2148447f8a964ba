export type Method = (this: unknown, ...args: unknown[]) => unknown;
export type Methods = Record<string, Method>;

/** Wraps methods of the compiler for one compilation. */
export class Patches {
  readonly #undo: (() => void)[] = [];

  /** Wraps a method if it exists. */
  wrap(prototype: Methods, name: string, wrap: (original: Method) => Method): void {
    const original = prototype[name];
    if (!original) return;
    prototype[name] = wrap(original);
    this.#undo.push(() => {
      prototype[name] = original;
    });
  }

  restore(): void {
    for (const step of this.#undo.toReversed()) step();
  }
}
