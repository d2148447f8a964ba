import { NonsenseError, ReorgError } from "./chain.js";
import { clip } from "./rpc-errors.js";

const quantityPattern = /^0x[0-9a-f]+$/i;
const lowerHex = /^0x[0-9a-f]*$/;
const anyHex = /^0x[0-9a-f]*$/i;

/** Lengths of hex strings, including "0x". */
export const hashLength = 66;
export const addressLength = 42;

/**
 * Reads and validates fields of a JSON object in a node's answer. When a field is malformed, every method throws a
 * `NonsenseError` that names the RPC method and the field. When the whole answer is null, it throws a `ReorgError`.
 */
export class Fields {
  readonly #method: string;
  readonly #path: string;
  readonly #values: Readonly<Record<string, unknown>>;

  /**
   * `path` is the path of the object within the answer, such as "transactions[3]."; empty for the answer itself.
   */
  constructor(method: string, value: unknown, path = "") {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw nonsense(method, path.replace(/\.$/, ""), value, "an object");
    }
    this.#method = method;
    this.#path = path;
    this.#values = value as Readonly<Record<string, unknown>>;
  }

  /** Whether a field is present and not null. */
  has(name: string): boolean {
    return this.#values[name] !== undefined && this.#values[name] !== null;
  }

  /** The unvalidated value of a field. */
  raw(name: string): unknown {
    return this.#values[name];
  }

  text(name: string): string {
    const value = this.#values[name];
    if (typeof value === "string") return value;
    throw this.nonsense(name, "a string");
  }

  /**
   * Bytes as lower-case hex; `length` is in characters, including "0x".
   * @param known a string that this method returned for the same length; it is returned again when the field is equal
   */
  hex(name: string, length?: number, known?: string): string {
    const given = this.#values[name];
    if (known !== undefined && given === known) return known;
    const value = hexOf(given, length);
    if (value !== undefined) return value;
    throw this.nonsense(
      name,
      length === undefined ? "hexadecimal bytes" : `${length / 2 - 1} hexadecimal bytes`,
    );
  }

  hexOrNull(name: string, length?: number): string | null {
    return this.has(name) ? this.hex(name, length) : null;
  }

  /** A hex quantity of any size. */
  quantity(name: string): bigint {
    const value = this.#values[name];
    if (typeof value === "string" && quantityPattern.test(value)) return BigInt(value);
    throw this.nonsense(name, "a hexadecimal number");
  }

  quantityOrNull(name: string): bigint | null {
    return this.has(name) ? this.quantity(name) : null;
  }

  /** A safe integer, as a hex quantity or, in traces, as a JSON number. */
  number(name: string): number {
    const value = this.#values[name];
    const number = typeof value === "string" && quantityPattern.test(value) ? Number(value) : value;
    if (typeof number === "number" && Number.isSafeInteger(number) && number >= 0) return number;
    throw this.nonsense(name, "a number");
  }

  list(name: string): readonly unknown[] {
    const value = this.#values[name];
    if (Array.isArray(value)) return value;
    throw this.nonsense(name, "a list");
  }

  /**
   * A list of hex strings of a fixed length.
   * @param known strings that this method returned for the same length; they are reused where the list has equal ones
   */
  hexList(name: string, length: number, known: readonly string[] = []): readonly string[] {
    return this.list(name).map((value, index) => {
      const same = known[index];
      if (same !== undefined && value === same) return same;
      const hex = hexOf(value, length);
      if (hex === undefined)
        throw this.nonsense(name, `a list of strings of ${length / 2 - 1} hexadecimal bytes`);
      return hex;
    });
  }

  /** A list of objects. */
  objects(name: string): readonly Fields[] {
    return this.list(name).map((value, index) => this.#at(`${name}[${index}]`, value));
  }

  object(name: string): Fields {
    return this.#at(name, this.#values[name]);
  }

  /** The error for a malformed field. */
  nonsense(name: string, wanted: string): Error {
    return nonsense(this.#method, `${this.#path}${name}`, this.#values[name], wanted);
  }

  #at(place: string, value: unknown): Fields {
    return new Fields(this.#method, value, `${this.#path}${place}.`);
  }
}

/** Validates an answer that must be a list of objects. */
export function objectsOf(method: string, value: unknown): readonly Fields[] {
  if (!Array.isArray(value)) throw nonsense(method, "", value, "a list");
  return value.map((entry, index) => new Fields(method, entry, `[${index}].`));
}

/** Validates an answer that must be bytes; returns lower-case hex. */
export function hexAnswer(method: string, value: unknown): string {
  const hex = hexOf(value, undefined);
  if (hex === undefined) throw nonsense(method, "", value, "hexadecimal bytes");
  return hex;
}

/** Validates an answer that must be a hex quantity. */
export function quantityAnswer(method: string, value: unknown): bigint {
  if (typeof value === "string" && quantityPattern.test(value)) return BigInt(value);
  throw nonsense(method, "", value, "a hexadecimal number");
}

/** A value as lower-case hex of whole bytes; `undefined` when it is malformed. */
export function hexOf(value: unknown, length: number | undefined): string | undefined {
  if (typeof value !== "string" || value.length % 2 !== 0) return undefined;
  if (length !== undefined && value.length !== length) return undefined;
  if (lowerHex.test(value)) return value;
  return anyHex.test(value) ? value.toLowerCase() : undefined;
}

/** A null answer is a `ReorgError`: the node does not have the block yet, or no longer has it. */
function nonsense(method: string, field: string, value: unknown, wanted: string): Error {
  if (field === "" && value === null) return new ReorgError(`${method}: the node answered null`);
  const shown = value === undefined ? "missing" : clip(JSON.stringify(value)).slice(0, 80);
  const place = field === "" ? "the answer" : `"${field}"`;
  return new NonsenseError(`${method}: invalid answer from the node: ${place} is ${shown}, not ${wanted}`);
}
