/** Headers that belong to the connection, and headers that describe the content. */
const reserved: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "idempotency-key",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Why requests cannot have a header; `undefined` if they can. */
export function headerFault(name: string, value: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return "is not the name of a header";
  if (reserved.has(name.toLowerCase()) || name.toLowerCase().startsWith("proxy-"))
    return "is set by graphloom";
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    return "has a value with characters that headers cannot carry";
  return undefined;
}
