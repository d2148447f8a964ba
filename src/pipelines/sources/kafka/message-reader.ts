import type { RowValue } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import { AvroSchemaError, type AvroType, readAvroSchema } from "./avro-schema.js";
import { hasSchema, readAvroEnvelope, readAvroKey, readAvroMessage, schemaIdOf } from "./read-avro.js";
import {
  MessageError,
  type ReadMessage,
  readEnvelope,
  readJsonKey,
  readJsonMessage,
  textOf,
  withKey,
} from "./read-message.js";
import { isEnvelope, messageColumns } from "./topic-columns.js";
import type { TopicRecord } from "./topic-reader.js";

/** What messages hold. */
export const topicFormats = ["json", "debezium-json", "avro", "debezium-avro"] as const;
type TopicFormat = (typeof topicFormats)[number];

/** What messages are read as. */
export interface MessageOptions {
  readonly format: TopicFormat;
  /** For Avro, and only for it: the schema with an id, as JSON; `undefined` if there is none. */
  schemaOf?(id: number): Promise<unknown>;
  /** The columns of its rows; the columns of each message come last if each is a row of its own. */
  readonly columns: readonly RowColumn[];
  /** The columns by which a message replaces an earlier one; absent if none does. Not for Debezium, which says what changes. */
  readonly key?: readonly string[] | undefined;
}

/** The most schemas to remember. */
const mostSchemas = 1_000;

/** Reads messages of a topic. It remembers the schemas that they are written with. */
export class MessageReader {
  readonly #options: MessageOptions;
  readonly #own: readonly RowColumn[];
  readonly #key: readonly RowColumn[];
  /** By id, or why a schema cannot be read. */
  readonly #schemas = new Map<number, AvroType | string>();

  constructor(options: MessageOptions) {
    this.#options = options;
    const { columns, format, key } = options;
    this.#key = columns.filter(({ name }) => key?.includes(name));
    if (key) this.#own = columns.map((column) => ({ ...column, nullable: true }));
    else this.#own = isEnvelope(format) ? columns : columns.slice(0, columns.length - messageColumns.length);
  }

  /** What a message changes; `undefined` for one that changes nothing. Its schemas must be learned. @throws MessageError */
  read(partition: number, record: TopicRecord): ReadMessage | undefined {
    const { format, key } = this.#options;
    if (key) return this.#replacing(record);
    // Debezium follows a deletion by a message without a value, so that compaction removes the key.
    if (record.value === null) return undefined;
    if (format === "debezium-json") return readEnvelope(record.value, this.#own);
    if (format === "debezium-avro")
      return readAvroEnvelope(record.value, this.#schemaOf(record.value), this.#own);
    const { plus } = this.#readValue(record.value);
    return { minus: undefined, plus: plus && [...plus, ...valuesOf(partition, record)] };
  }

  #readValue(value: Uint8Array): ReadMessage {
    return this.#options.format === "avro"
      ? readAvroMessage(value, this.#schemaOf(value), this.#own)
      : readJsonMessage(value, this.#own);
  }

  /** A row that replaces the one of its key, or nothing in its place. */
  #replacing({ key: bytes, value }: TopicRecord): ReadMessage {
    if (!bytes) throw new MessageError("has no key, so it is not known which row it replaces");
    const key =
      this.#options.format === "avro" && hasSchema(bytes)
        ? readAvroKey(bytes, this.#schemaOf(bytes), this.#key)
        : readJsonKey(bytes, this.#key);
    const names = this.#key.map(({ name }) => name);
    const minus = this.#own.map(({ name }) => key[names.indexOf(name)] ?? null);
    const plus = value === null ? undefined : this.#readValue(value).plus;
    return { minus, plus: plus && withKey(plus, key, this.#own, names) };
  }

  /** Asks for schemas that records are written with, once for each. */
  async learn(records: readonly TopicRecord[]): Promise<void> {
    const { schemaOf } = this.#options;
    if (!schemaOf) return;
    if (this.#schemas.size > mostSchemas) this.#schemas.clear();
    /** A schema that the registry lacks may come later. */
    const lacking = new Set<number>();
    for (const bytes of records.flatMap(({ key, value }) => (this.#options.key ? [key, value] : [value]))) {
      const id = bytes && hasSchema(bytes) ? schemaIdOf(bytes) : undefined;
      if (id === undefined || this.#schemas.has(id) || lacking.has(id)) continue;
      const schema = await schemaOf(id);
      if (schema === undefined) lacking.add(id);
      else this.#schemas.set(id, readSchema(id, schema));
    }
  }

  /** @throws MessageError if the schema of a message is not known */
  #schemaOf(value: Uint8Array): AvroType {
    const id = schemaIdOf(value);
    const found = this.#schemas.get(id) ?? lackOf(id);
    if (typeof found === "string") throw new MessageError(found);
    return found;
  }
}

function readSchema(id: number, schema: unknown): AvroType | string {
  try {
    return readAvroSchema(schema);
  } catch (error) {
    if (error instanceof AvroSchemaError) return `has schema ${id}, which ${error.message}`;
    throw error;
  }
}

function lackOf(id: number): string {
  return `has schema ${id}, which the registry lacks`;
}

/** The values that every message has. */
function valuesOf(partition: number, { offset, timestamp, key }: TopicRecord): readonly RowValue[] {
  return [BigInt(partition), offset, timestamp * 1_000n, key && (textOf(key) ?? hexOf(key))];
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}
