export type Method = (this: unknown, ...args: unknown[]) => unknown;
export type Methods = Record<string, Method>;

/** Methods of the compiler that are wrapped for the time of one compilation. */
export class Patches {
  readonly #undo: (() => void)[] = [];

  /** Puts a wrapped method in the place of the original; a method that is not there is left out. */
  wrap(prototype: Methods, name: string, wrap: (original: Method) => Method): void {
    const original = prototype[name];
    if (!original) return;
    prototype[name] = wrap(original);
    this.#undo.push(() => {
      prototype[name] = original;
    });
  }

  /** Takes all methods back to what they were. */
  restore(): void {
    for (const step of this.#undo.toReversed()) step();
  }
}
