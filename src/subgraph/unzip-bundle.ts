import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import { quoteForeign } from "../base/quote-foreign.js";
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

/**
 * Unpacks the zip of a build. The zip is untrusted: only the actual sizes count, not those that it states; no
 * file takes more memory than the limits leave; and unpacking runs off the main thread.
 * @returns the files by path, without folders
 * @throws BundleError if it is not a zip, is damaged or too large, or contains a path that leads out of it
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
    if (files.has(entry.path)) throw new BundleError(`The zip contains ${quoteForeign(entry.path)} twice`);
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
    throw new BundleError(
      `${quoteForeign(path)} uses an unsupported compression method; make an ordinary zip`,
    );
  }
  // Checked before unpacking, because most files that are too large state their size.
  if (size > left || (method === 0 && packed.length > left)) throw tooLarge(limits);
  const bytes = method === 0 ? packed : await inflated(path, packed, left, limits);
  if (bytes.length === size) return bytes;
  throw new BundleError(
    `${quoteForeign(path)} is damaged in the zip: its size differs from the size that the zip states`,
  );
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

/** @throws BundleError for a path that could lead out of the bundle */
function checkPath(path: string): void {
  const isOdd = /^\/|^[A-Za-z]:|[\\\0]/.test(path) || path.split("/").some((part) => /^\.{0,2}$/.test(part));
  if (isOdd) throw new BundleError(`The zip contains a path that leads out of it: ${quoteForeign(path)}`);
}

function tooLarge({ extracted }: UnzipLimits): BundleError {
  return new BundleSizeError(`The zip unpacks to more than ${extracted.toLocaleString("en")} bytes`);
}
