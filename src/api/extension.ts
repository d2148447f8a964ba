import type { HttpRequest } from "../web/http/http-request.js";

/** A JSON Schema. References lead into the contract: `#/components/schemas/Webhook`. */
export type Schema = Readonly<Record<string, unknown>>;

/** An operation of graphloom's own server that the contract does not have, as servers, clients and the description know it. */
export interface Extension {
  readonly method: HttpRequest["method"];
  /** Path template below the base address: `/projects/{id}`. */
  readonly path: string;
  /** One line. */
  readonly summary: string;
  /** What may be asked for besides what the path names, by name. */
  readonly query?: Readonly<Record<string, Schema>>;
  /** What has to be sent. */
  readonly body?: Schema;
  /** What is answered when it goes well; nothing without it. */
  readonly answer?: Schema;
  /** 200 when left out, or 204 when nothing is answered. */
  readonly status?: 200 | 201 | 204;
}

/** The status of success. */
export function statusOf({ answer, status = answer ? 200 : 204 }: Extension): number {
  return status;
}

/** An object that has these fields; those whose name ends in `?` need not be there. */
export function objectOf(fields: Readonly<Record<string, Schema>>): Schema {
  const named = Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ""), schema] as const);
  return {
    type: "object",
    properties: Object.fromEntries(named),
    required: Object.keys(fields).filter((name) => !name.endsWith("?")),
  };
}

/** A list of what fits a schema. */
export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

/** What stands in the field `data` of an answer. */
export function dataOf(schema: Schema): Schema {
  return objectOf({ data: schema });
}

/** A text, and what it is. */
export function textOf(description?: string): Schema {
  return { type: "string", ...(description !== undefined && { description }) };
}

/** A time as RFC 3339 writes it. */
export const timeSchema: Schema = { type: "string", format: "date-time" };

/** The same, or nothing. */
export const noTimeSchema: Schema = { type: ["string", "null"], format: "date-time" };
