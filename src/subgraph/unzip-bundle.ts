import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import { quoteForeign } from "../base/quote-foreign.js";
import { BundleError } from "./bundle-error.js";
import { type ZipEntry, zipEntries } from "./zip-entries.js";

/** Limits of a bundle that somebody sends, in bytes, and how many files it may have. */
export interface UnzipLimits {
  readonly extracted: number;
  readonly files: number;
}

/** A bundle that is too large when it is unpacked. */
export class BundleSizeError extends BundleError {}

/** What the management API allows of a bundle. */
export const bundleLimits = { compressed: 50_000_000, extracted: 100_000_000, files: 10_000 } as const;

const inflate = promisify(inflateRaw);

/**
 * Unpacks the zip of a build. It is nobody's friend: sizes are those that come out, whatever it says; a file never
 * takes more memory than the limits leave, and is unpacked beside the program's own thread.
 * @returns its files by path, without folders
 * @throws BundleError when it is no zip, is damaged or too large, or has a path that leads out of it
 */
export async function unzipBundle(
  zip: Uint8Array,
  limits: UnzipLimits = bundleLimits,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  let left = limits.extracted;
  for (const entry of zipEntries(zip, limits.files)) {
    if (entry.path.endsWith("/")) continue;
    checkPath(entry.path);
    if (files.has(entry.path)) throw new BundleError(`The zip has ${quoteForeign(entry.path)} twice`);
    const bytes = await contentOf(entry, left, limits);
    left -= bytes.length;
    files.set(entry.path, bytes);
  }
  return files;
}

async function contentOf(
  { path, method, packed, size }: ZipEntry,
  left: number,
  limits: UnzipLimits,
): Promise<Uint8Array> {
  if (method !== 0 && method !== 8) {
    throw new BundleError(`${quoteForeign(path)} is packed in a way that is not known; use plain zip`);
  }
  // Before anything is unpacked: most that are too large say so themselves.
  if (size > left || (method === 0 && packed.length > left)) throw tooLarge(limits);
  const bytes = method === 0 ? packed : await inflated(path, packed, left, limits);
  if (bytes.length === size) return bytes;
  throw new BundleError(`${quoteForeign(path)} is damaged in the zip: it has another size than the zip says`);
}

async function inflated(
  path: string,
  packed: Uint8Array,
  left: number,
  limits: UnzipLimits,
): Promise<Uint8Array> {
  try {
    return await inflate(packed, { maxOutputLength: Math.max(1, left) });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(limits);
    throw new BundleError(`${quoteForeign(path)} is damaged in the zip`);
  }
}

/** @throws BundleError for a path that could lead anywhere but into the bundle */
function checkPath(path: string): void {
  const isOdd = /^\/|^[A-Za-z]:|[\\\0]/.test(path) || path.split("/").some((part) => /^\.{0,2}$/.test(part));
  if (isOdd) throw new BundleError(`The zip has a file outside of it: ${quoteForeign(path)}`);
}

function tooLarge({ extracted }: UnzipLimits): BundleError {
  return new BundleSizeError(
    `The zip holds more than ${extracted.toLocaleString("en")} bytes when it is unpacked`,
  );
}
