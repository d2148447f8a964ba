/** The answer to one request, as part of the bytes of a whole response. */
export interface AnswerPart {
  /** JSON of its id. */
  readonly id: string;
  /** JSON of its result; absent if it is an error. */
  readonly result?: Uint8Array;
  /** JSON of its error, unless that is null. */
  readonly error?: Uint8Array;
}

const byte = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  backslash: 0x5c,
  openList: 0x5b,
  closeList: 0x5d,
  open: 0x7b,
  close: 0x7d,
} as const;

/**
 * Splits a JSON-RPC answer without parsing its contents, because blocks are large.
 * @returns `undefined` if it is not an answer
 */
export function splitAnswers(bytes: Uint8Array): readonly AnswerPart[] | undefined {
  try {
    const start = afterSpace(bytes, 0);
    if (bytes[start] !== byte.openList) return [readPart(bytes, start).part];
    const parts: AnswerPart[] = [];
    let at = afterSpace(bytes, start + 1);
    while (bytes[at] !== byte.closeList) {
      const { part, end } = readPart(bytes, at);
      parts.push(part);
      at = afterSpace(bytes, end);
      if (bytes[at] === byte.comma) at = afterSpace(bytes, at + 1);
      else if (bytes[at] !== byte.closeList) return undefined;
    }
    return parts;
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

class NotJson extends Error {}

const decoder = new TextDecoder();

function readPart(bytes: Uint8Array, start: number): { readonly part: AnswerPart; readonly end: number } {
  expect(bytes, start, byte.open);
  let id = "null";
  let result: Uint8Array | undefined;
  let error: Uint8Array | undefined;
  let at = afterSpace(bytes, start + 1);
  while (bytes[at] !== byte.close) {
    const keyEnd = stringEnd(bytes, at);
    const key = decoder.decode(bytes.subarray(at + 1, keyEnd - 1));
    const colon = afterSpace(bytes, keyEnd);
    expect(bytes, colon, byte.colon);
    const from = afterSpace(bytes, colon + 1);
    const to = valueEnd(bytes, from);
    if (key === "id") id = decoder.decode(bytes.subarray(from, to)).trim();
    if (key === "result") result = bytes.subarray(from, to);
    if (key === "error") error = isNull(bytes, from, to) ? undefined : bytes.subarray(from, to);
    at = afterSpace(bytes, to);
    if (bytes[at] === byte.comma) at = afterSpace(bytes, at + 1);
    else expect(bytes, at, byte.close);
  }
  return { part: { id, ...(error ? { error } : result && { result }) }, end: at + 1 };
}

function isNull(bytes: Uint8Array, from: number, to: number): boolean {
  return decoder.decode(bytes.subarray(from, Math.min(to, from + 8))).trim() === "null";
}

function expect(bytes: Uint8Array, at: number, wanted: number): void {
  if (bytes[at] !== wanted) throw new NotJson();
}

function afterSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  for (let one = bytes[next]; one === 0x20 || one === 0x0a || one === 0x0d || one === 0x09; one = bytes[next])
    next += 1;
  return next;
}

/**
 * @param start the opening quote
 * @returns the position after the closing one
 */
function stringEnd(bytes: Uint8Array, start: number): number {
  expect(bytes, start, byte.quote);
  for (let from = start + 1; ; ) {
    const quote = bytes.indexOf(byte.quote, from);
    if (quote < 0) throw new NotJson();
    let escapes = 0;
    while (bytes[quote - 1 - escapes] === byte.backslash) escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

function valueEnd(bytes: Uint8Array, start: number): number {
  if (bytes[start] === byte.quote) return stringEnd(bytes, start);
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    switch (bytes[at]) {
      case byte.quote:
        at = stringEnd(bytes, at) - 1;
        break;
      case byte.open:
      case byte.openList:
        depth += 1;
        break;
      case byte.close:
      case byte.closeList:
        if (depth === 0) return at;
        depth -= 1;
        if (depth === 0) return at + 1;
        break;
      case byte.comma:
        if (depth === 0) return at;
    }
  }
  throw new NotJson();
}
