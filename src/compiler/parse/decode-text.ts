/** The result of decoding a file's bytes. */
export type DecodedText =
  | { readonly kind: "text"; readonly text: string }
  /** A 16- or 32-bit encoding, recognised by its byte order mark or its zero bytes. */
  | { readonly kind: "other-encoding"; readonly encoding: "UTF-16" | "UTF-32" }
  /** Not UTF-8 from byte `byte` on; `text` is the part before that. */
  | { readonly kind: "invalid"; readonly byte: number; readonly text: string };

/** Decodes UTF-8 and drops a byte order mark. Invalid bytes are never replaced silently. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const encoding = otherEncoding(bytes);
  if (encoding) return { kind: "other-encoding", encoding };
  try {
    return { kind: "text", text: decode(bytes) };
  } catch {
    const byte = firstInvalidByte(bytes);
    return { kind: "invalid", byte, text: decode(bytes.subarray(0, byte)) };
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function otherEncoding(bytes: Uint8Array): "UTF-16" | "UTF-32" | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0 && b === 0 && ((c === 0xfe && d === 0xff) || (c === 0 && d !== 0 && d !== undefined)))
    return "UTF-32";
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 && bytes.length > 4 ? "UTF-32" : "UTF-16";
  if (a === 0xfe && b === 0xff) return "UTF-16";
  if (a === undefined || b === undefined) return undefined;
  // Without a byte order mark: the first character of a configuration or an ABI is always ASCII.
  if (a !== 0 && b === 0) return c === 0 && d === 0 ? "UTF-32" : "UTF-16";
  return a === 0 && b !== 0 ? "UTF-16" : undefined;
}

/** Offset of the first invalid UTF-8 sequence. */
function firstInvalidByte(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return at;
}

/** Length of the valid UTF-8 sequence at `at`; 0 if it is invalid. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (let i = 1; i < length; i++) {
    const next = bytes[at + i];
    if (
      next === undefined ||
      next < (i === 1 ? lowest(first) : 0x80) ||
      next > (i === 1 ? highest(first) : 0xbf)
    ) {
      return 0;
    }
  }
  return length;
}

/** Bounds of the second byte, which exclude overlong forms, surrogates and code points beyond U+10FFFF. */
function lowest(first: number): number {
  return first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
}

function highest(first: number): number {
  return first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
}
