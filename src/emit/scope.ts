/** Hands out identifiers so that none hides another that is needed. */
export class Scope {
  readonly #taken: Set<string>;
  readonly #outer: Scope | undefined;

  constructor(taken: Iterable<string>, outer?: Scope) {
    this.#taken = new Set(taken);
    this.#outer = outer;
  }

  /** The name if it is free, else with the first of the suffixes that makes it so, else with a number. */
  claim(name: string, suffix = ""): string {
    for (const candidate of [name, name + suffix]) {
      if (this.#take(candidate)) return candidate;
    }
    for (let number = 2; ; number++) {
      const candidate = `${name}${suffix}${number}`;
      if (this.#take(candidate)) return candidate;
    }
  }

  /** A scope inside this one: what is taken here stays taken there. */
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
