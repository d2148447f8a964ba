import type { HttpRequest } from "../web/http/http-request.js";

/** A JSON Schema. References lead into the contract: `#/components/schemas/Webhook`. */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * An operation found on graphloom's server but not in the contract, as servers, clients and the description use it.
 */
export interface Extension {
  readonly method: HttpRequest["method"];
  /** Path template below the base address: `/projects/{id}`. */
  readonly path: string;
  /** One line. */
  readonly summary: string;
  readonly query?: Readonly<Record<string, Schema>>;
  /** The required query parameters. */
  readonly required?: readonly string[];
  /** The schema of the required body. */
  readonly body?: Schema;
  /** The media type of a body that is a file. */
  readonly upload?: { readonly media: string };
  /** The schema of a successful answer; without it, the answer is empty. */
  readonly answer?: Schema;
  /** The media type of a successful answer that is a file, and its headers. */
  readonly file?: { readonly media: string; readonly headers: Readonly<Record<string, Schema>> };
  /** By default 200, or 204 for an empty answer. */
  readonly status?: 200 | 201 | 204;
}

/** The media type of Parquet files. */
export const parquetMedia = "application/vnd.apache.parquet";

/** The status of success. */
export function statusOf({ answer, file, status = answer || file ? 200 : 204 }: Extension): number {
  return status;
}

/** An object with these fields. Fields whose name ends in `?` are optional. */
export function objectOf(fields: Readonly<Record<string, Schema>>): Schema {
  const named = Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ""), schema] as const);
  return {
    type: "object",
    properties: Object.fromEntries(named),
    required: Object.keys(fields).filter((name) => !name.endsWith("?")),
  };
}

/** A list of values that match a schema. */
export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

/** An answer with this schema in its field `data`. */
export function dataOf(schema: Schema): Schema {
  return objectOf({ data: schema });
}

/** A string with a description. */
export function textSchema(description?: string): Schema {
  return { type: "string", ...(description !== undefined && { description }) };
}

/** A time in RFC 3339 format. */
export const timeSchema: Schema = { type: "string", format: "date-time" };

/** A time in RFC 3339 format, or null. */
export const noTimeSchema: Schema = { type: ["string", "null"], format: "date-time" };
