import { createHash } from "node:crypto";
import type { FilePart, Part } from "./http-request.js";

/** An encoded multipart form. */
export interface Multipart {
  readonly contentType: string;
  /** Content length in bytes. */
  readonly length: number;
  /** The body in chunks of at most 64 KiB. */
  chunks(): Generator<Uint8Array>;
}

const chunk = 65_536;
const encoder = new TextEncoder();

/** Encodes a form (RFC 7578), with text fields first and files last. The same parts give the same bytes. */
export function encodeMultipart(parts: readonly Part[]): Multipart {
  const ordered = [...parts.filter((part) => !isFile(part)), ...parts.filter(isFile)];
  const contents = ordered.map((part) => (isFile(part) ? part.bytes : encoder.encode(part.value)));
  const boundary = chooseBoundary(ordered, contents);
  const pieces = [
    ...ordered.flatMap((part, index) => [
      encoder.encode(`--${boundary}\r\n${headersOf(part)}\r\n`),
      contents[index] as Uint8Array,
      encoder.encode("\r\n"),
    ]),
    encoder.encode(`--${boundary}--\r\n`),
  ];
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: pieces.reduce((sum, piece) => sum + piece.length, 0),
    *chunks() {
      for (const piece of pieces) yield* chunksOf(piece);
    },
  };
}

/** Encodes a file as a whole body. */
export function encodeBytes(contentType: string, bytes: Uint8Array): Multipart {
  return { contentType, length: bytes.length, chunks: () => chunksOf(bytes) };
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
}

function isFile(part: Part): part is FilePart {
  return "bytes" in part;
}

function headersOf(part: Part): string {
  const disposition = `content-disposition: form-data; name="${escapeName(part.name)}"`;
  if (!isFile(part)) return `${disposition}\r\n`;
  return `${disposition}; filename="${escapeName(part.filename)}"\r\ncontent-type: ${part.contentType}\r\n`;
}

/** Escapes a field's name as browsers do. */
function escapeName(name: string): string {
  return name.replace(/["\r\n]/g, (character) =>
    character === '"' ? "%22" : character === "\r" ? "%0D" : "%0A",
  );
}

/** A boundary that occurs in none of the contents. */
function chooseBoundary(parts: readonly Part[], contents: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  parts.forEach((part, index) => {
    hash.update(`${headersOf(part)}${contents[index]?.length}\r\n`).update(contents[index] as Uint8Array);
  });
  const seed = hash.digest("hex");
  for (let round = 0; ; round++) {
    const digest = createHash("sha256").update(`${seed}${round}`).digest("hex");
    const boundary = `form-${digest.slice(0, 40)}`;
    if (
      !contents.some((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(boundary))
    ) {
      return boundary;
    }
  }
}
