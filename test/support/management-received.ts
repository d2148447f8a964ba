import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { checkBody, type Matched } from "./management-contract.js";
import { badRequest, Problem } from "./management-problem.js";

/** What the server got. */
export interface ReceivedRequest {
  readonly method: string;
  /** As it was sent, encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** JSON. */
  readonly body?: unknown;
  /** Texts and files of a form, and the names of both in the order they came. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, ReceivedFile>>;
  readonly parts?: readonly string[];
}

export interface ReceivedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** The bytes of a body; nothing when it ended early, or when enough of it has arrived. */
export async function readBody(
  request: IncomingMessage,
  most: number | undefined,
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    pieces.push(piece as Buffer);
    length += (piece as Buffer).length;
    if (most !== undefined && length >= most) return undefined;
  }
  return Buffer.concat(pieces);
}

/** A body as JSON, or the parts of a form. */
export async function decodeBody(
  bytes: Buffer,
  type: string,
): Promise<Pick<ReceivedRequest, "body" | "fields" | "files" | "parts">> {
  if (type.startsWith("application/json")) return { body: parseJson(String(bytes)) };
  if (!type.startsWith("multipart/form-data")) return bytes.length > 0 ? { body: String(bytes) } : {};
  const fields: Record<string, string> = {};
  const files: Record<string, ReceivedFile> = {};
  const parts: string[] = [];
  const form = await readForm(bytes, type);
  for (const [name, value] of form) {
    parts.push(name);
    if (typeof value === "string") fields[name] = value;
    else {
      files[name] = {
        filename: value.name,
        contentType: value.type,
        bytes: new Uint8Array(await value.arrayBuffer()),
      };
    }
  }
  return { fields, files, parts };
}

async function readForm(bytes: Buffer, type: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    // Refused later: nothing is in it that has to be there.
    return new FormData();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused later, as text where an object is expected.
    return text;
  }
}

/**
 * What a request brings, compared with the contract.
 * @throws Problem when it does not fit
 */
export function readContent(
  { operation }: Matched,
  { body, fields, files, parts, headers }: ReceivedRequest,
): {
  body: Readonly<Record<string, unknown>>;
  fields: Readonly<Record<string, string>>;
  bundle: Uint8Array | undefined;
} {
  const wanted = operation.body;
  const type = headers["content-type"]?.split(";")[0];
  if (!wanted) {
    if (body !== undefined || parts)
      throw badRequest({ message: "there is a body where there should be none" });
    return { body: {}, fields: {}, bundle: undefined };
  }
  if (type === undefined && !wanted.required) return { body: {}, fields: {}, bundle: undefined };
  if (type !== wanted.media) {
    throw new Problem(415, "unsupported-media-type", "Unsupported media type", `Send ${wanted.media}.`);
  }
  if (wanted.media === "application/json") {
    checkBody(wanted.schema, body);
    return { body: body as Readonly<Record<string, unknown>>, fields: {}, bundle: undefined };
  }
  const doubled = parts?.find((name, index) => parts.indexOf(name) !== index);
  if (doubled !== undefined) throw badRequest({ field: doubled, message: "is there twice" });
  const file = files?.bundle;
  if (file && (file.contentType !== "application/zip" || file.filename === "")) {
    throw badRequest({ field: "bundle", message: "is not a file of the type application/zip with a name" });
  }
  const names = Object.fromEntries(Object.keys(files ?? {}).map((name) => [name, "a file"]));
  checkBody(wanted.schema, { ...fields, ...names });
  const misplaced = Object.keys(names).find((name) => name !== "bundle");
  if (misplaced !== undefined) throw badRequest({ field: misplaced, message: "is a file" });
  return { body: {}, fields: fields ?? {}, bundle: file?.bytes };
}
