import { parseJson } from "../base/text/json-value.js";
import { DumpError } from "./dump-error.js";
import {
  type DumpBlock,
  type DumpMetadata,
  printMetadata,
  readBlock,
  readMetadata,
} from "./dump-metadata.js";
import { Member } from "./member.js";

/** How far a dump has come that is sent piece by piece: what a server must know to send the rest. */
export interface DumpPosition {
  /** The deployment that was begun; absent at the start. */
  readonly deployment?: string | undefined;
  /** The newest block that files may depend on; absent if there is none. */
  readonly head?: DumpBlock | undefined;
  /** By the names of tables. */
  readonly tables: ReadonlyMap<string, TablePosition>;
}

/** How much of a table was received. */
export interface TablePosition {
  /** The last vid; -1 before the first. */
  readonly maxVid: bigint;
  /** The block as of which all these rows are known: which of them end later was not received. -1 if there is none. */
  readonly asOf: number;
}

/** What a server sends: `begin`, then files, each followed by its data and `whole`, then `end`. */
export type DumpPart =
  /** The deployment, its tables without files, and its texts. */
  | {
      readonly kind: "begin";
      readonly metadata: DumpMetadata;
      readonly schema: string;
      readonly manifest?: string | undefined;
    }
  /** A file of a table begins. */
  | {
      readonly kind: "file";
      readonly table: string;
      readonly form: "chunk" | "clamp";
      /** The block as of which its rows are. */
      readonly at: DumpBlock | undefined;
    }
  | { readonly kind: "data"; readonly bytes: Uint8Array }
  | {
      readonly kind: "whole";
      readonly rows: number;
      readonly minVid: bigint;
      readonly maxVid: bigint;
      /** SHA-256 of the file, in hex. */
      readonly digest: string;
    }
  /** All ends of rows of the table up to this block were sent. */
  | { readonly kind: "clamped"; readonly table: string; readonly at: DumpBlock | undefined }
  /** Nothing: the server is at work. */
  | { readonly kind: "tick" }
  /** The answer is whole. The dump is complete if there are counts; otherwise the client asks for the rest. */
  | { readonly kind: "end"; readonly at: DumpBlock | undefined; readonly counts?: DumpCounts | undefined };

/** Counts of a deployment, as of the dump's last block. */
export interface DumpCounts {
  readonly entities: number;
  /** The rows of each table. */
  readonly rows: ReadonlyMap<string, number>;
}

/** The first byte of a frame; then come four bytes with the length of the rest. */
const kinds = { json: 0, data: 1 } as const;
const headBytes = 5;
/** A file's data is sent in frames of this size. */
const dataBytes = 1024 * 1024;
/** The largest frame that is read: metadata with thousands of tables, and a large schema. */
const mostBytes = 96 * 1024 * 1024;

/** The frames of a part, to be sent one after the other. */
export function* framesOf(part: DumpPart): Generator<Uint8Array> {
  if (part.kind !== "data") return yield frame(kinds.json, Buffer.from(JSON.stringify(shown(part))));
  for (let at = 0; at < part.bytes.length; at += dataBytes)
    yield frame(kinds.data, part.bytes.subarray(at, at + dataBytes));
}

function frame(kind: number, content: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(headBytes + content.length);
  bytes.writeUInt8(kind, 0);
  bytes.writeUInt32BE(content.length, 1);
  bytes.set(content, headBytes);
  return bytes;
}

function shown(part: Exclude<DumpPart, { kind: "data" }>): object {
  switch (part.kind) {
    case "begin":
      return { ...part, metadata: printMetadata(part.metadata) };
    case "whole":
      return { ...part, minVid: String(part.minVid), maxVid: String(part.maxVid) };
    case "end": {
      const { counts } = part;
      return { ...part, counts: counts && { ...counts, rows: Object.fromEntries(counts.rows) } };
    }
    default:
      return part;
  }
}

/**
 * Reads parts from the bytes of frames, as they arrive. The bytes may be wrong in every way.
 * @throws DumpError, and errors of the bytes' source
 */
export async function* partsIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<DumpPart> {
  for await (const { kind, content } of frames(bytes)) {
    if (kind === kinds.data) yield { kind: "data", bytes: content };
    else if (kind === kinds.json) yield readPart(content);
    else throw unreadable();
  }
}

async function* frames(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly kind: number; readonly content: Uint8Array }> {
  let held: Uint8Array[] = [];
  let length = 0;
  let wanted = headBytes;
  for await (const piece of bytes) {
    held.push(piece);
    length += piece.length;
    while (length >= wanted) {
      const all = Buffer.concat(held);
      const size = all.readUInt32BE(1);
      if (size > mostBytes) throw unreadable();
      wanted = headBytes + size;
      if (length >= wanted) {
        yield { kind: all.readUInt8(0), content: all.subarray(headBytes, wanted) };
        [held, length, wanted] = [[all.subarray(wanted)], length - wanted, headBytes];
      } else held = [all];
    }
  }
}

function readPart(content: Uint8Array): DumpPart {
  const root = new Member(parseJson(Buffer.from(content).toString()), "the server's answer");
  const kind = root.at("kind").text();
  const at = (): DumpBlock | undefined => {
    const found = root.maybe("at");
    return found && readBlock(found);
  };
  const table = (): string => root.at("table").text();
  switch (kind) {
    case "begin":
      return {
        kind,
        metadata: readMetadata(root.at("metadata").text()),
        schema: root.at("schema").text(),
        manifest: root.maybe("manifest")?.text(),
      };
    case "file": {
      const form = root.at("form").text();
      if (form !== "chunk" && form !== "clamp") throw root.at("form").wrong("chunk or clamp");
      return { kind, table: table(), form, at: at() };
    }
    case "whole":
      return {
        kind,
        rows: root.at("rows").integer(1),
        minVid: root.at("minVid").vid(),
        maxVid: root.at("maxVid").vid(),
        digest: root.at("digest").text(),
      };
    case "clamped":
      return { kind, table: table(), at: at() };
    case "tick":
      return { kind };
    case "end": {
      const counts = root.maybe("counts");
      return { kind, at: at(), counts: counts && readCounts(counts) };
    }
    default:
      throw unreadable();
  }
}

function readCounts(counts: Member): DumpCounts {
  const rows = counts.at("rows").entries();
  return {
    entities: counts.at("entities").integer(0),
    rows: new Map(rows.map(([type, count]) => [type, count.integer(0)])),
  };
}

function unreadable(): DumpError {
  return new DumpError("the server's answer is not a dump, or it is of another version of graphloom", {
    hint: "Use the version of graphloom that the server has.",
  });
}
