import { BundleError } from "./bundle-error.js";

/** A file in a zip, packed. */
export interface ZipEntry {
  readonly path: string;
  /** 0 for as it is, 8 for deflated. */
  readonly method: number;
  readonly packed: Uint8Array;
  /** Bytes when it is unpacked, as the zip says. */
  readonly size: number;
}

const endLength = 22;
const entryLength = 46;
const localLength = 30;
const locatorLength = 20;
/** The longest comment that can stand behind the end. */
const longestComment = 0xffff;

/**
 * The files that the directory of a zip names, in its order, folders included.
 * @throws BundleError when it is no zip, or one of a kind that a bundle need not be: in parts, encrypted, of over 4 GB
 */
export function zipEntries(zip: Uint8Array, mostFiles: number): readonly ZipEntry[] {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  if (isZip64(view, end)) {
    throw new BundleError("The zip is in the Zip64 format, which is not supported; make an ordinary zip");
  }
  if (count !== view.getUint16(end + 8, true)) throw damaged();
  if (count > mostFiles) {
    throw new BundleError(`The zip has ${count} files, and ${mostFiles} are allowed`);
  }
  let at = view.getUint32(end + 16, true);
  const entries: ZipEntry[] = [];
  for (let index = 0; index < count; index++) {
    if (at + entryLength > end || view.getUint32(at, true) !== 0x02014b50) throw damaged();
    const nameLength = view.getUint16(at + 28, true);
    const next =
      at + entryLength + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > end) throw damaged();
    entries.push(entryAt(zip, view, at, nameLength));
    at = next;
  }
  return entries;
}

function entryAt(zip: Uint8Array, view: DataView, at: number, nameLength: number): ZipEntry {
  if ((view.getUint16(at + 8, true) & 1) !== 0) throw new BundleError("The zip is encrypted");
  const packedLength = view.getUint32(at + 20, true);
  const local = view.getUint32(at + 42, true);
  if (local + localLength > zip.length || view.getUint32(local, true) !== 0x04034b50) throw damaged();
  const start = local + localLength + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  if (start + packedLength > zip.length) throw damaged();
  return {
    path: nameOf(zip.subarray(at + entryLength, at + entryLength + nameLength)),
    method: view.getUint16(at + 10, true),
    packed: zip.subarray(start, start + packedLength),
    size: view.getUint32(at + 24, true),
  };
}

function nameOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new BundleError("The zip has a file whose name is not UTF-8");
  }
}

/** Where the end of the directory is described; a comment may follow it. */
function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - endLength - longestComment);
  for (let at = view.byteLength - endLength; at >= first; at--) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  throw new BundleError("It is not a zip");
}

/** Whether the numbers are elsewhere, because they are too large for their fields or somebody thinks they might be. */
function isZip64(view: DataView, end: number): boolean {
  const locator = end - locatorLength;
  if (locator >= 0 && view.getUint32(locator, true) === 0x07064b50) return true;
  return view.getUint16(end + 10, true) === 0xffff || view.getUint32(end + 16, true) === 0xffffffff;
}

function damaged(): BundleError {
  return new BundleError("The zip is damaged");
}
