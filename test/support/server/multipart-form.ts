/** A part of a received form. */
export interface FormPart {
  readonly name: string;
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
  readonly bytes: Uint8Array;
}

/**
 * Parses a `multipart/form-data` body strictly.
 * @throws Error for an invalid body
 */
export function parseForm(body: Buffer, contentType: string | undefined): readonly FormPart[] {
  const boundary = /^multipart\/form-data;\s*boundary="?([^";]+)"?/.exec(contentType ?? "")?.[1];
  if (boundary === undefined) throw new Error(`not a form: ${contentType}`);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first delimiter has no line end before it.
  const text = Buffer.concat([Buffer.from("\r\n"), body]);
  const parts: FormPart[] = [];
  let at = text.indexOf(delimiter);
  if (at !== 0) throw new Error("the body does not begin with its boundary");
  for (;;) {
    const start = at + delimiter.length;
    const mark = text.toString("latin1", start, start + 2);
    if (mark === "--") return parts;
    if (mark !== "\r\n") throw new Error("a boundary is followed by something else");
    const end = text.indexOf(delimiter, start);
    if (end < 0) throw new Error("the last boundary is missing");
    parts.push(parsePart(text.subarray(start + 2, end)));
    at = end;
  }
}

function parsePart(part: Buffer): FormPart {
  const end = part.indexOf("\r\n\r\n");
  if (end < 0) throw new Error("a part has no headers");
  const headers = new Map(
    part
      .toString("utf8", 0, end)
      .split("\r\n")
      .map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
  );
  const disposition = headers.get("content-disposition") ?? "";
  const name = /[; ]name="([^"]*)"/.exec(disposition)?.[1];
  if (!disposition.startsWith("form-data") || name === undefined) throw new Error("a part has no name");
  return {
    name,
    filename: /[; ]filename="([^"]*)"/.exec(disposition)?.[1],
    contentType: headers.get("content-type"),
    bytes: part.subarray(end + 4),
  };
}
