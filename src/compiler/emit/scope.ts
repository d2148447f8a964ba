/** Allocates identifiers that shadow no others. */
export class Scope {
  readonly #taken: Set<string>;
  readonly #outer: Scope | undefined;
  /** The next number to try, by name. */
  readonly #numbers = new Map<string, number>();

  constructor(taken: Iterable<string>, outer?: Scope) {
    this.#taken = new Set(taken);
    this.#outer = outer;
  }

  /** Claims the name if it is free, otherwise the name with the suffix, and a number if necessary. */
  claim(name: string, suffix = ""): string {
    for (const candidate of [name, name + suffix]) {
      if (this.#take(candidate)) return candidate;
    }
    const stem = name + suffix;
    for (let number = this.#numbers.get(stem) ?? 2; ; number++) {
      if (!this.#take(`${stem}${number}`)) continue;
      this.#numbers.set(stem, number + 1);
      return `${stem}${number}`;
    }
  }

  /** A nested scope; names taken here are also taken there. */
  inner(alsoTaken: Iterable<string>): Scope {
    return new Scope(alsoTaken, this);
  }

  #take(name: string): boolean {
    if (this.#isTaken(name)) return false;
    this.#taken.add(name);
    return true;
  }

  #isTaken(name: string): boolean {
    if (this.#taken.has(name)) return true;
    return this.#outer ? this.#outer.#isTaken(name) : false;
  }
}
