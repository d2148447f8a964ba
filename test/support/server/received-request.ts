import type { IncomingHttpHeaders } from "node:http";
import { parseForm } from "./multipart-form.js";

/** A request that a server received. */
export interface ReceivedRequest {
  readonly method: string;
  /** As sent, encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** JSON. */
  readonly body?: unknown;
  /** Texts and files of a form, and the names of both in order. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, ReceivedFile>>;
  readonly parts?: readonly string[];
}

/** A file of a form. */
export interface ReceivedFile {
  readonly filename: string;
  readonly contentType: string | undefined;
  readonly bytes: Uint8Array;
}

/** A body as JSON, or the parts of a form; any other body as a string. */
export function decodeBody(
  bytes: Buffer,
  type = "",
): Pick<ReceivedRequest, "body" | "fields" | "files" | "parts"> {
  if (bytes.length === 0) return {};
  if (type.startsWith("application/json")) return { body: JSON.parse(String(bytes)) };
  if (!type.startsWith("multipart/form-data")) return { body: String(bytes) };
  const parts = parseForm(bytes, type);
  return {
    parts: parts.map(({ name }) => name),
    fields: Object.fromEntries(
      parts.flatMap(({ name, filename, bytes: text }) =>
        filename === undefined ? [[name, Buffer.from(text).toString()]] : [],
      ),
    ),
    files: Object.fromEntries(
      parts.flatMap(({ name, filename, contentType, bytes: file }) =>
        filename === undefined ? [] : [[name, { filename, contentType, bytes: new Uint8Array(file) }]],
      ),
    ),
  };
}
