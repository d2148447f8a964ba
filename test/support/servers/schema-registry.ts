import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A registry of Avro schemas that keeps to the contract of Confluent's, as far as writers use it. */
export interface PlayedRegistry {
  readonly url: string;
  readonly login: { readonly user: string; readonly password: string };
  /** The schemas under a subject, in the order in which they came. */
  schemas(subject: string): readonly string[];
  /** The schema with an id. */
  schema(id: number): string | undefined;
  /** Allows reads, and refuses registrations. */
  close(kind: "for registration"): void;
  stop(): Promise<void>;
}

interface Field {
  readonly name: string;
  readonly type: unknown;
  readonly default?: unknown;
}

/** What is refused: the status, the registry's own code, and its words. */
type Refusal = readonly [status: number, code: number, message: string];

const mediaType = "application/vnd.schemaregistry.v1+json";
const login = { user: "writer", password: "a registry's password" };

/** Starts a registry without schemas. New schemas have to read what older ones have written: BACKWARD, as by default. */
export async function playRegistry(): Promise<PlayedRegistry> {
  const subjects = new Map<string, string[]>();
  const ids: string[] = [];
  let isReadOnly = false;

  const idOf = (schema: string): number =>
    (ids.includes(schema) ? ids.indexOf(schema) : ids.push(schema) - 1) + 1;

  function answer(
    request: IncomingMessage,
    body: string,
  ): { readonly id: number } | { readonly schema: string } | Refusal {
    const expected = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString("base64")}`;
    if (request.headers.authorization !== expected) return [401, 401, "Unauthorized"];
    if (request.headers["content-type"] !== mediaType) return [415, 415, "HTTP 415 Unsupported Media Type"];
    const [, id] = /^\/schemas\/ids\/(\d+)$/.exec(request.url ?? "") ?? [];
    if (request.method === "GET" && id !== undefined) {
      const schema = ids[Number(id) - 1];
      return schema === undefined ? [404, 40_403, "Schema not found"] : { schema };
    }
    const [, name = "", versions] = /^\/subjects\/([^/]+)(\/versions)?$/.exec(request.url ?? "") ?? [];
    if (request.method !== "POST" || name === "") return [404, 404, "HTTP 404 Not Found"];
    const subject = decodeURIComponent(name);
    const { schema } = JSON.parse(body) as { schema: string };
    const known = subjects.get(subject) ?? [];
    if (known.includes(schema)) return { id: idOf(schema) };
    if (!versions)
      return known.length === 0
        ? [404, 40_401, `Subject '${subject}' not found.`]
        : [404, 40_403, "Schema not found"];
    if (isReadOnly) return [403, 40_301, "User is denied operation Write on Subject"];
    const last = known.at(-1);
    if (last !== undefined && !reads(schema, last))
      return [
        409,
        409,
        `Schema being registered is incompatible with an earlier schema for subject "${subject}"`,
      ];
    subjects.set(subject, [...known, schema]);
    return { id: idOf(schema) };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const found = answer(request, body);
    response.setHeader("content-type", mediaType);
    if ("id" in found || "schema" in found) response.end(JSON.stringify(found));
    else response.writeHead(found[0]).end(JSON.stringify({ error_code: found[1], message: found[2] }));
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    login,
    schemas: (subject) => subjects.get(subject) ?? [],
    schema: (id) => ids[id - 1],
    close: () => {
      isReadOnly = true;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether rows that were written with one schema can be read with a newer one: it adds only what has a default. */
function reads(newer: string, older: string): boolean {
  const fieldsOf = (schema: string): readonly Field[] => JSON.parse(schema).fields;
  const before = new Map(fieldsOf(older).map(({ name, type }) => [name, JSON.stringify(type)]));
  return fieldsOf(newer).every((field) => {
    const type = before.get(field.name);
    if (type === undefined) return "default" in field;
    return (
      JSON.stringify(field.type) === type ||
      (Array.isArray(field.type) && field.type.some((one) => JSON.stringify(one) === type))
    );
  });
}
