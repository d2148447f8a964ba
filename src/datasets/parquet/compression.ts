import * as zlib from "node:zlib";
import { type CompressionCodec, type Compressors, snappyUncompress } from "hyparquet";

/** How the pages of a file are compressed, by the names that people use. */
export const compressions = ["snappy", "zstd", "gzip", "brotli", "none"] as const;

export type Compression = (typeof compressions)[number];

/** The names in Parquet's own metadata. */
export const codecOf: Readonly<Record<Compression, CompressionCodec>> = {
  snappy: "SNAPPY",
  zstd: "ZSTD",
  gzip: "GZIP",
  brotli: "BROTLI",
  none: "UNCOMPRESSED",
};

/** Zstandard, which Node.js has from 22.15 on. */
interface Zstandard {
  readonly zstdCompressSync?: (input: Uint8Array) => Uint8Array;
  readonly zstdDecompressSync?: (
    input: Uint8Array,
    options: { readonly maxOutputLength: number },
  ) => Uint8Array;
}

const { zstdCompressSync, zstdDecompressSync } = zlib as Zstandard;

/** Whether this Node.js can write and read a compression. */
export function isKnownCompression(compression: Compression): boolean {
  return compression !== "zstd" || zstdCompressSync !== undefined;
}

/** What compresses pages; Snappy comes with the writer. */
export const packers: Readonly<Partial<Record<CompressionCodec, (input: Uint8Array) => Uint8Array>>> = {
  BROTLI: (input) =>
    zlib.brotliCompressSync(input, {
      params: {
        [zlib.constants.BROTLI_PARAM_QUALITY]: 3,
        [zlib.constants.BROTLI_PARAM_LGWIN]: 22,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: input.length,
      },
    }),
  GZIP: (input) => zlib.gzipSync(input),
  ...(zstdCompressSync && { ZSTD: zstdCompressSync }),
};

/** Maximum unpacked size of a page, far above what we write. */
const mostPageBytes = 512 * 1024 * 1024;

/** Unpacks Zstandard: that of this Node.js, or one in JavaScript. */
export async function zstandard(): Promise<Unpack> {
  if (zstdDecompressSync) return zstdDecompressSync;
  const { decompress } = await import("fzstd");
  // A larger page than the file says does not fit.
  return (input, _, size) => decompress(input, new Uint8Array(size));
}

type Unpack = (input: Uint8Array, limit: { readonly maxOutputLength: number }, size: number) => Uint8Array;

/**
 * What unpacks pages up to a total size in bytes. It throws an Error at a page that exceeds it.
 * @param unzstd how to unpack Zstandard; by default only this Node.js
 */
export function unpackersUpTo(most: number, unzstd: Unpack | undefined = zstdDecompressSync): Compressors {
  let left = most;
  const within =
    (unpack: Unpack) =>
    (input: Uint8Array, size: number): Uint8Array => {
      const maxOutputLength = Math.min(mostPageBytes, left);
      if (maxOutputLength < 1 || size > maxOutputLength)
        throw new Error(`it unpacks to more than ${Math.min(mostPageBytes, most)} bytes`);
      const page = unpack(input, { maxOutputLength }, size);
      left -= page.length;
      return page;
    };
  return {
    BROTLI: within(zlib.brotliDecompressSync),
    GZIP: within(zlib.gunzipSync),
    SNAPPY: within((input, _, size) => {
      const page = new Uint8Array(size);
      snappyUncompress(input, page);
      return page;
    }),
    ZSTD: within((input, limit, size) => {
      if (!unzstd) throw new Error("it is compressed with zstd, which needs Node.js 22.15 or newer");
      return unzstd(input, limit, size);
    }),
  };
}
