import { foreignText } from "../../../base/text/foreign-text.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { quoteForeign } from "../../../base/text/quote-foreign.js";
import type { RowValue } from "../../changes/rows.js";
import type { RowColumn, ValueType } from "../../changes/schema.js";
import { valueFromJson } from "../../changes/value-from-json.js";
import type { AvroType } from "./avro-schema.js";
import { envelopeChange, MessageError, type ReadMessage, type ReadRow } from "./read-message.js";

/** A value that was read. Decimals are texts that say so, and times are microseconds. */
type AvroValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | { readonly decimal: string }
  | { readonly micros: bigint }
  | readonly AvroValue[]
  | ReadonlyMap<string, AvroValue>;

/** Values within each other. */
const deepest = 64;
/** Items of a list that have no bytes. */
const mostEmpty = 10_000;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Whether a message begins with the id of a schema: a zero, and four bytes. */
export function hasSchema(value: Uint8Array): boolean {
  return value.length >= 5 && value[0] === 0;
}

/** The id of the schema that a message begins with. @throws MessageError if it does not */
export function schemaIdOf(value: Uint8Array): number {
  if (!hasSchema(value))
    throw new MessageError("does not begin with the id of a schema, as a registry's messages do");
  return new DataView(value.buffer, value.byteOffset, value.byteLength).getUint32(1);
}

/**
 * Reads a message that is a row in Avro.
 * @param type the schema that it was written with
 * @throws MessageError
 */
export function readAvroMessage(
  message: Uint8Array,
  type: AvroType,
  columns: readonly RowColumn[],
): ReadMessage {
  const found = wholeValue(message, type);
  if (!(found instanceof Map)) throw new MessageError("is not a record");
  return { minus: undefined, plus: rowOf(found, columns, "") };
}

/**
 * Reads a message that is an envelope of Debezium in Avro.
 * @param type the schema that it was written with
 * @throws MessageError, also for a change that does not hold the row before it
 */
export function readAvroEnvelope(
  message: Uint8Array,
  type: AvroType,
  columns: readonly RowColumn[],
): ReadMessage {
  const found = wholeValue(message, type);
  if (!(found instanceof Map)) throw new MessageError("is not a record");
  return envelopeChange(found.get("op"), (name) => {
    const held: AvroValue = found.get(name) ?? null;
    return held instanceof Map ? rowOf(held, columns, `${name}.`) : undefined;
  });
}

/**
 * Reads the columns of a key from the key of a message: a record with them, or the value of the only one.
 * @param type the schema that it was written with
 * @throws MessageError
 */
export function readAvroKey(key: Uint8Array, type: AvroType, columns: readonly RowColumn[]): ReadRow {
  const found = wholeValue(key, type);
  const [only] = columns;
  if (found instanceof Map) return rowOf(found, columns, "key.");
  if (columns.length !== 1 || !only) throw new MessageError("has a key that is not a record");
  return rowOf(new Map([[only.name, found]]), columns, "key.");
}

function wholeValue(message: Uint8Array, type: AvroType): AvroValue {
  const reader = new AvroReader(message.subarray(5));
  const found = reader.value(type, 0);
  if (reader.left > 0) throw new MessageError("is longer than its schema says");
  return found;
}

function rowOf(found: ReadonlyMap<string, AvroValue>, columns: readonly RowColumn[], place: string): ReadRow {
  return columns.map((column) => {
    const value: AvroValue = found.get(column.name) ?? null;
    if (value === null && column.nullable) return null;
    const read = value === null ? undefined : columnValue(value, column.type);
    if (read !== undefined) return read;
    throw new MessageError(
      `has ${foreignText(jsonOf(value))} as ${quoteForeign(place + column.name)}, which is of the type ${column.type}`,
    );
  });
}

class AvroReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes that were not read. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  value(type: AvroType, depth: number): AvroValue {
    if (depth > deepest) throw new MessageError(`has more than ${deepest} levels`);
    switch (type.kind) {
      case "null":
        return null;
      case "boolean":
        return this.#take(1)[0] === 1;
      case "int":
      case "long":
        return this.#long();
      case "float":
        return this.#view.getFloat32(this.#skip(4), true);
      case "double":
        return this.#view.getFloat64(this.#skip(8), true);
      case "bytes":
        return this.#take(this.#length());
      case "string":
        return this.#text();
      case "fixed":
        return this.#take(type.size);
      case "enum":
        return chosen(type.symbols, this.#long());
      case "union":
        return this.value(chosen(type.branches, this.#long()), depth + 1);
      case "record":
        return new Map(type.fields.map((field) => [field.name, this.value(field.type, depth + 1)]));
      case "array":
        return [...this.#items(() => this.value(type.of, depth + 1))];
      case "map":
        return new Map(this.#items(() => [this.#text(), this.value(type.of, depth + 1)] as const));
      case "time": {
        const time = this.value(type.of, depth);
        return { micros: ((time as bigint) * type.numerator) / type.denominator };
      }
      case "decimal":
        return { decimal: decimalOf(this.value(type.of, depth) as Uint8Array, type.scale) };
    }
  }

  /** The items of all blocks. A block with a negative count says its size as well. */
  *#items<T>(item: () => T): Generator<T> {
    let empty = 0;
    for (;;) {
      let count = this.#long();
      if (count === 0n) return;
      if (count < 0n) {
        count = -count;
        this.#long();
      }
      for (; count > 0n; count -= 1n) {
        const before = this.#at;
        yield item();
        if (this.#at === before) empty += 1;
        if (empty > mostEmpty) throw new MessageError("has a list that is too long");
      }
    }
  }

  #long(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#take(1)[0] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
    throw new MessageError("does not fit its schema");
  }

  #length(): number {
    const length = this.#long();
    if (length < 0n || length > BigInt(this.left)) throw new MessageError("does not fit its schema");
    return Number(length);
  }

  #text(): string {
    const bytes = this.#take(this.#length());
    try {
      return utf8.decode(bytes);
    } catch (error) {
      if (error instanceof TypeError) throw new MessageError("has a text that is not UTF-8");
      throw error;
    }
  }

  #take(count: number): Uint8Array {
    const start = this.#skip(count);
    return this.#bytes.subarray(start, start + count);
  }

  /** @returns where it was before */
  #skip(count: number): number {
    if (count > this.left) throw new MessageError("is shorter than its schema says");
    this.#at += count;
    return this.#at - count;
  }
}

function chosen<T>(choices: readonly T[], index: bigint): T {
  const choice = index >= 0n && index < BigInt(choices.length) ? choices[Number(index)] : undefined;
  if (choice === undefined) throw new MessageError("does not fit its schema");
  return choice;
}

/** A whole number with its sign, the highest byte first, as a decimal number. */
function decimalOf(bytes: Uint8Array, scale: number): string {
  const size = BigInt(bytes.length * 8);
  const unscaled =
    bytes.length === 0 ? 0n : BigInt.asIntN(Number(size), BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0");
  const sign = unscaled < 0n ? "-" : "";
  const whole = digits.slice(0, digits.length - scale);
  return scale === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(digits.length - scale)}`;
}

function columnValue(value: AvroValue, type: ValueType): RowValue | undefined {
  if (type === "JSON") {
    // Writers without a type for JSON have it as a text.
    if (typeof value === "string") return parseJson(value) === undefined ? undefined : value;
    return jsonOf(value);
  }
  if (type === "TIMESTAMP" && isRecord(value) && "micros" in value) return value.micros as bigint;
  const isInteger = type === "LONG" || type === "DECIMAL" || type === "NUMERIC";
  if (typeof value === "bigint") return isInteger ? valueFromJson(String(value), type) : undefined;
  if (isRecord(value) && "decimal" in value)
    return isInteger ? valueFromJson(String(value.decimal), type) : undefined;
  return valueFromJson(value, type);
}

function jsonOf(value: AvroValue): string {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return `"0x${Buffer.from(value).toString("hex")}"`;
  if (Array.isArray(value)) return `[${value.map((item: AvroValue) => jsonOf(item)).join(",")}]`;
  if (value instanceof Map)
    return `{${[...value].map(([name, item]) => `${JSON.stringify(name)}:${jsonOf(item)}`).join(",")}}`;
  if (isRecord(value)) return "micros" in value ? String(value.micros) : String(value.decimal);
  return JSON.stringify(value);
}
