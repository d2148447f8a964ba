import { DumpError } from "./dump-error.js";

/** A member of a JSON document from outside, with its path for messages. Its methods throw DumpError. */
export class Member {
  readonly #value: unknown;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    this.#value = value;
    this.#path = path;
  }

  wrong(wanted: string): DumpError {
    return new DumpError(`${this.#path} is not ${wanted}`);
  }

  at(key: string): Member {
    const found = this.#own(key);
    if (found === undefined) throw new DumpError(`${this.#path} has no ${key}`);
    return new Member(found, `${this.#path}: ${key}`);
  }

  /** A member that may be missing or null. */
  maybe(key: string): Member | undefined {
    return (this.#own(key) ?? undefined) === undefined ? undefined : this.at(key);
  }

  #own(key: string): unknown {
    return this.#entries().find(([name]) => name === key)?.[1];
  }

  #entries(): [string, unknown][] {
    if (typeof this.#value !== "object" || this.#value === null || Array.isArray(this.#value))
      throw this.wrong("an object");
    return Object.entries(this.#value);
  }

  entries(): [string, Member][] {
    return this.#entries().map(([key, value]) => [key, new Member(value, `${this.#path}: ${key}`)]);
  }

  items(): readonly Member[] {
    if (!Array.isArray(this.#value)) throw this.wrong("a list");
    return this.#value.map((item, index) => new Member(item, `${this.#path}[${index}]`));
  }

  text(): string {
    if (typeof this.#value !== "string" || this.#value.includes("\0")) throw this.wrong("a string");
    return this.#value;
  }

  texts(): readonly string[] {
    return this.items().map((item) => item.text());
  }

  flag(): boolean {
    if (typeof this.#value !== "boolean") throw this.wrong("true or false");
    return this.#value;
  }

  integer(least: number): number {
    const value = Number(this.#value);
    if (typeof this.#value !== "number" || !Number.isSafeInteger(value) || value < least)
      throw this.wrong(`an integer of at least ${least}`);
    return value;
  }

  vid(): bigint {
    const text =
      typeof this.#value === "string" && /^-?\d{1,19}$/.test(this.#value) ? this.#value : undefined;
    const value = text === undefined ? undefined : BigInt(text);
    if (value === undefined || value < -1n || value >= 2n ** 63n)
      throw this.wrong("an integer of at least -1");
    return value;
  }
}
