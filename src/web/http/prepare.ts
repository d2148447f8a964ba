import { type Address, redact } from "./address.js";
import { HttpError } from "./http-error.js";
import type { HttpBody, HttpRequest } from "./http-request.js";
import { encodeBytes, encodeMultipart, type Multipart } from "./multipart.js";

/** An encoded request that can be sent any number of times. */
export interface Prepared {
  readonly method: HttpRequest["method"];
  readonly address: Address;
  readonly headers: Headers;
  readonly body: string | Multipart | undefined;
  readonly onProgress: ((sent: number, total: number) => void) | undefined;
  /** Secrets that no message may show. */
  readonly credentials: readonly string[];
}

/**
 * Encodes a request.
 * @throws HttpError when a header holds characters that cannot be sent
 */
export function prepare(request: HttpRequest, address: Address): Prepared {
  const { body } = request;
  const encoded = body && encode(body);
  const type = typeof encoded === "string" ? "application/json" : encoded?.contentType;
  const fields = Object.entries({
    ...(address.authorization !== undefined && { authorization: address.authorization }),
    ...(type !== undefined && { "content-type": type }),
    ...request.headers,
  });
  // `fetch` would refuse it too, but its message would show the value.
  const bad = fields.find(([, value]) => !/^[\t\x20-\x7e\x80-\xff]*$/.test(value));
  if (bad) {
    const reason = `the header "${bad[0]}" contains characters that are not allowed in a header`;
    throw new HttpError("unsendable", { message: `${address.origin}: ${reason}`, reason }, false);
  }
  const headers = new Headers(fields);
  const authorization = headers.get("authorization")?.split(" ") ?? [];
  return {
    method: request.method,
    address,
    headers,
    body: encoded,
    onProgress: body?.kind === "multipart" ? body.onProgress : undefined,
    credentials: [...authorization.slice(1).filter((text) => text !== ""), ...address.credentials],
  };
}

function encode(body: HttpBody): string | Multipart {
  switch (body.kind) {
    case "multipart":
      return encodeMultipart(body.parts);
    case "bytes":
      return encodeBytes(body.media, body.bytes);
    case "json-text":
      return body.text;
    case "json":
      return JSON.stringify(body.value);
  }
}

/** Removes the request's secrets from a text of unknown origin. */
export function conceal(text: string, { credentials, address }: Prepared): string {
  return redact(text, [...credentials, ...address.secrets]);
}
