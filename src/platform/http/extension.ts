import { roles } from "../../api/account-operations.js";

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** What a route is for that the management API does not have, as the description of the server tells it. */
export interface Extension {
  /** One line. */
  readonly summary: string;
  /** What may be asked for besides what the path names, by name. */
  readonly query?: Readonly<Record<string, Schema>>;
  /** What has to be sent. */
  readonly body?: Schema;
  /** What is answered when it goes well; 204 without it. */
  readonly answer?: Schema;
  /** 200 when left out, or 204 when nothing is answered. */
  readonly status?: 200 | 201 | 204;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the route is for, where the management API that others know does not have it. */
    extension?: Extension;
  }
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

/** A role in a project. */
export const roleSchema: Schema = { type: "string", enum: roles };
