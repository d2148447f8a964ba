import { promisify } from "node:util";
import { crc32, inflateRaw, inflateRawSync } from "node:zlib";
import { quoteForeign } from "../base/text/quote-foreign.js";
import { BundleError } from "./bundle-error.js";
import { type ZipEntry, zipEntries } from "./zip-entries.js";

/** Limits for a received bundle: sizes in bytes, and number of files. */
export interface UnzipLimits {
  readonly extracted: number;
  readonly files: number;
}

/** A bundle that is too large when unpacked. */
export class BundleSizeError extends BundleError {}

/** The management API's limits for a bundle. */
export const bundleLimits = { compressed: 50_000_000, extracted: 100_000_000, files: 10_000 } as const;

const inflate = promisify(inflateRaw);

/** Below this size in bytes, handing a file to another thread costs more time than it saves. */
const smallFile = 65_536;
/** Bytes and files that are unpacked in place before other work gets its turn: about a millisecond. */
const slice = { bytes: 262_144, files: 32 } as const;
/** No bytes, deflated. */
const nothing = Buffer.from([0x03, 0x00]);

/** A zip whose directory has been read, and nothing else. */
export interface OpenedBundle {
  /** The paths of its files, without folders. */
  readonly paths: readonly string[];
  /** The unpacked size that its directory states, in bytes. */
  readonly size: number;
  /** @returns the files by path @throws BundleError if a file is damaged */
  unpack(): Promise<ReadonlyMap<string, Uint8Array>>;
  /** @returns one of the files; undefined if there is none @throws BundleError if it is damaged */
  file(path: string): Promise<Uint8Array | undefined>;
}

/**
 * Opens the zip of a build. The zip is untrusted: the sizes that it states must fit the limits before
 * anything is unpacked, no file takes more memory than it states, and unpacking lets other work of the main
 * thread run.
 * @throws BundleError if it is not a zip, is damaged or too large, or contains a path that leads outside
 */
export function openBundle(zip: Uint8Array, limits: UnzipLimits = bundleLimits): OpenedBundle {
  const entries = zipEntries(zip, limits.files);
  const size = sizeOf(entries);
  if (size > limits.extracted) throw tooLarge(limits);
  const files = new Map<string, ZipEntry>();
  for (const entry of entries) {
    if (entry.path.endsWith("/")) continue;
    checkPath(entry.path);
    if (files.has(entry.path)) throw new BundleError(`The zip contains ${quoteForeign(entry.path)} twice`);
    files.set(entry.path, entry);
  }
  const unpack = async (): Promise<ReadonlyMap<string, Uint8Array>> => {
    const contents = new Map<string, Uint8Array>();
    let inPlace = { bytes: 0, files: 0 };
    for (const [path, entry] of files) {
      contents.set(path, await contentOf(entry));
      inPlace = { bytes: inPlace.bytes + entry.size, files: inPlace.files + 1 };
      if (inPlace.bytes < slice.bytes && inPlace.files < slice.files) continue;
      // Another thread replies in a later turn of the event loop.
      await inflate(nothing);
      inPlace = { bytes: 0, files: 0 };
    }
    return contents;
  };
  const file = async (path: string): Promise<Uint8Array | undefined> => {
    const entry = files.get(path);
    return entry && contentOf(entry);
  };
  return { paths: [...files.keys()], size, unpack, file };
}

/** Opens and unpacks the zip of a build. @throws BundleError as `openBundle`, and if a file is damaged */
export async function unzipBundle(
  zip: Uint8Array,
  limits: UnzipLimits = bundleLimits,
): Promise<ReadonlyMap<string, Uint8Array>> {
  return openBundle(zip, limits).unpack();
}

function sizeOf(entries: readonly ZipEntry[]): number {
  return entries.reduce((sum, { size }) => sum + size, 0);
}

async function contentOf({ path, method, packed, size, crc }: ZipEntry): Promise<Uint8Array> {
  if (method !== 0 && method !== 8) {
    throw new BundleError(
      `${quoteForeign(path)} uses an unsupported compression method; make an ordinary zip`,
    );
  }
  const bytes = method === 0 ? packed : await inflated(path, packed, size);
  if (bytes.length !== size) throw otherSize(path);
  if (crc32(bytes) === crc) return bytes;
  throw new BundleError(`${quoteForeign(path)} is damaged in the zip: its checksum is wrong`);
}

async function inflated(path: string, packed: Uint8Array, size: number): Promise<Uint8Array> {
  try {
    const limit = { maxOutputLength: Math.max(1, size) };
    const isSmall = size <= smallFile && packed.length <= smallFile;
    return isSmall ? inflateRawSync(packed, limit) : await inflate(packed, limit);
  } catch (error) {
    if (error instanceof RangeError) throw otherSize(path);
    throw new BundleError(`${quoteForeign(path)} is damaged in the zip`);
  }
}

function otherSize(path: string): BundleError {
  return new BundleError(
    `${quoteForeign(path)} is damaged in the zip: its size differs from the size that the zip states`,
  );
}

/** @throws BundleError for a path that could lead out of the bundle */
function checkPath(path: string): void {
  const isOdd = /^\/|^[A-Za-z]:|[\\\0]/.test(path) || path.split("/").some((part) => /^\.{0,2}$/.test(part));
  if (isOdd) throw new BundleError(`The zip contains a path that leads outside: ${quoteForeign(path)}`);
}

function tooLarge({ extracted }: UnzipLimits): BundleError {
  return new BundleSizeError(`The zip unpacks to more than ${extracted.toLocaleString("en")} bytes`);
}
