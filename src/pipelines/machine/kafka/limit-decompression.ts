import zlib from "node:zlib";
import { KafkaError } from "../../sinks/kafka-client.js";
import type { Decompressor, KafkaModule } from "./kafka-module.js";

const { gunzipSync } = zlib;
/** Newer versions of Node.js have it. */
const zstdDecompressSync: unknown = Reflect.get(zlib, "zstdDecompressSync");

/** Bytes that the batches of an answer may have once they are decompressed. */
const mostExpanded = 128 * 1024 * 1024;

/** Records that are too large once they are decompressed. */
export class ExpandedError extends KafkaError {
  constructor(most: number) {
    super(
      `Compressed records become larger than ${most / 1024 / 1024} MiB, which is more than a batch may hold.`,
      false,
    );
  }
}

/**
 * Makes the client refuse records that become too large when they are decompressed: a few megabytes can become gigabytes.
 * The limit holds for all that is decompressed in one go, which is an answer of a broker.
 * @returns undoes it
 */
export function limitDecompression(
  { compressionsAlgorithms: all }: KafkaModule,
  most = mostExpanded,
): () => void {
  let left = most;
  let isBegun = false;
  const within = (
    expand: (bytes: Uint8Array, left: number) => Uint8Array,
  ): Decompressor["decompressSync"] => {
    return (data) => {
      if (!isBegun) {
        isBegun = true;
        // An answer is read without a pause.
        queueMicrotask(() => {
          isBegun = false;
          left = most;
        });
      }
      const found = expand(data instanceof Uint8Array ? data : data.buffer, left);
      left -= found.length;
      return found;
    };
  };
  const before = new Map(Object.entries(all).map(([name, one]) => [name, one.decompressSync]));
  const counted = (name: "snappy" | "lz4", lengthOf: (bytes: Uint8Array) => number) => {
    const original = before.get(name);
    return (
      original &&
      within((bytes, rest) => {
        if (lengthOf(bytes) > rest) throw new ExpandedError(most);
        return original(bytes);
      })
    );
  };
  const zipped = (unzip: typeof gunzipSync) =>
    within((bytes, rest) => {
      try {
        return unzip(bytes, { maxOutputLength: Math.max(rest, 1) });
      } catch (error) {
        const isTooLarge =
          error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
        throw isTooLarge ? new ExpandedError(most) : error;
      }
    });
  const limited = new Map([
    ["gzip", zipped(gunzipSync)],
    [
      "zstd",
      typeof zstdDecompressSync === "function" ? zipped(zstdDecompressSync as typeof gunzipSync) : undefined,
    ],
    ["snappy", counted("snappy", snappyLength)],
    ["lz4", counted("lz4", lz4Length)],
  ]);
  const use = (functions: ReadonlyMap<string, Decompressor["decompressSync"] | undefined>): void => {
    for (const [name, one] of Object.entries(all)) {
      const decompress = functions.get(name);
      if (decompress) one.decompressSync = decompress;
    }
  };
  use(limited);
  return () => use(before);
}

/** What Java's writer puts before its blocks: a mark, and two numbers. */
const xerial = Buffer.from("\x82SNAPPY\0", "latin1");
const xerialHeader = 16;

/** The decompressed length that Snappy's blocks say they have. */
function snappyLength(bytes: Uint8Array): number {
  if (!xerial.equals(bytes.subarray(0, xerial.length))) return varint(bytes);
  const view = viewOf(bytes);
  let length = 0;
  for (let at = xerialHeader; at + 4 <= bytes.length; ) {
    const size = view.getUint32(at);
    length += varint(bytes.subarray(at + 4));
    at += 4 + size;
  }
  return length;
}

function varint(bytes: Uint8Array): number {
  let value = 0;
  for (const [index, byte] of bytes.subarray(0, 5).entries()) {
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) break;
  }
  return value;
}

const lz4Magic = 0x184d2204;
/** No byte of LZ4 becomes more than this. */
const lz4Ratio = 255;

/** The most bytes that a frame of LZ4 can become: each of its blocks has a largest size. */
function lz4Length(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  if (bytes.length < 7 || view.getUint32(0, true) !== lz4Magic) return bytes.length * lz4Ratio;
  const flags = bytes[4] ?? 0;
  const [hasBlockSums, hasSize, hasDictionary] = [0x10, 0x08, 0x01].map((bit) => (flags & bit) !== 0);
  const largest = 2 ** (8 + 2 * (((bytes[5] ?? 0) >> 4) & 7));
  let at = 7 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0);
  let length = 0;
  while (at + 4 <= bytes.length) {
    const word = view.getUint32(at, true);
    at += 4;
    if (word === 0) break;
    const size = word & 0x7fffffff;
    length += word === size ? Math.min(largest, size * lz4Ratio) : size;
    at += size + (hasBlockSums ? 4 : 0);
  }
  // A sum of four bytes may follow, or another frame.
  return length + Math.max(0, bytes.length - at - 4) * lz4Ratio;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
