import { quoteForeign } from "../base/text/quote-foreign.js";
import { BundleError } from "./bundle-error.js";

/** A packed file in a zip. */
export interface ZipEntry {
  readonly path: string;
  /** 0 for stored, 8 for deflated. */
  readonly method: number;
  readonly packed: Uint8Array;
  /** Unpacked size in bytes, as the zip states it. */
  readonly size: number;
  /** CRC-32 of the unpacked bytes, as the zip states it. */
  readonly crc: number;
}

/** An entry and its position. */
interface PlacedEntry extends ZipEntry {
  /** Offset of its local header, and of the byte after its packed bytes. */
  readonly from: number;
  readonly to: number;
}

const endLength = 22;
const entryLength = 46;
const localLength = 30;
const locatorLength = 20;
/** Maximum length of the comment after the end record. */
const longestComment = 0xffff;

/** Shared, since creating a decoder takes longer than decoding a name. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The files in a zip's directory, in its order, including folders.
 * @throws BundleError if it is not a zip, contradicts itself, or is of a kind that no bundle needs: split, encrypted, or
 * over 4 GB
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
    throw new BundleError(`The zip has ${count} files, but only ${mostFiles} are allowed`);
  }
  let at = view.getUint32(end + 16, true);
  const directory = at;
  const entries: PlacedEntry[] = [];
  for (let index = 0; index < count; index++) {
    if (at + entryLength > end || view.getUint32(at, true) !== 0x02014b50) throw damaged();
    const nameLength = view.getUint16(at + 28, true);
    const next =
      at + entryLength + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > end) throw damaged();
    entries.push(entryAt(zip, view, at, nameLength));
    at = next;
  }
  refuseOverlaps(entries, directory);
  return entries;
}

/**
 * Rejects entries that share bytes: they let a small zip unpack to almost any size.
 * @throws BundleError
 */
function refuseOverlaps(entries: readonly PlacedEntry[], directory: number): void {
  let free = 0;
  for (const { from, to } of entries.toSorted((one, other) => one.from - other.from)) {
    if (from < free || to > directory) throw new BundleError("The zip has files that overlap");
    free = to;
  }
}

function entryAt(zip: Uint8Array, view: DataView, at: number, nameLength: number): PlacedEntry {
  if ((view.getUint16(at + 8, true) & 1) !== 0) throw new BundleError("The zip is encrypted");
  const packedLength = view.getUint32(at + 20, true);
  const local = view.getUint32(at + 42, true);
  if (local + localLength > zip.length || view.getUint32(local, true) !== 0x04034b50) throw damaged();
  const start = local + localLength + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  if (start + packedLength > zip.length) throw damaged();
  const name = zip.subarray(at + entryLength, at + entryLength + nameLength);
  const path = decodeName(name);
  if (!agrees(zip, view, { at, local, name }))
    throw new BundleError(
      `The zip says two things about ${quoteForeign(path)}: its directory differs from the header before the file`,
    );
  return {
    path,
    method: view.getUint16(at + 10, true),
    packed: zip.subarray(start, start + packedLength),
    size: view.getUint32(at + 24, true),
    crc: view.getUint32(at + 16, true),
    from: local,
    to: start + packedLength,
  };
}

/** Whether the header before a file matches the directory. */
function agrees(
  zip: Uint8Array,
  view: DataView,
  { at, local, name }: { readonly at: number; readonly local: number; readonly name: Uint8Array },
): boolean {
  const localName = zip.subarray(local + localLength, local + localLength + view.getUint16(local + 26, true));
  if (Buffer.compare(name, localName) !== 0) return false;
  if (view.getUint16(local + 8, true) !== view.getUint16(at + 10, true)) return false;
  const flags = view.getUint16(local + 6, true);
  if ((flags & 1) !== 0) return false;
  // The writer did not know them yet: CRC and sizes follow the file.
  const isLater = (flags & 8) !== 0;
  return [14, 18, 22].every((offset) => {
    const stated = view.getUint32(local + offset, true);
    return stated === view.getUint32(at + offset + 2, true) || (isLater && stated === 0);
  });
}

function decodeName(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BundleError("The zip has a file whose name is not UTF-8");
  }
}

/** Offset of the end record of the directory, which a comment may follow. */
function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - endLength - longestComment);
  for (let at = view.byteLength - endLength; at >= first; at--) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  throw new BundleError("It is not a zip");
}

/** Whether the numbers are in Zip64 records, because they are or might be too large for their fields. */
function isZip64(view: DataView, end: number): boolean {
  const locator = end - locatorLength;
  if (locator >= 0 && view.getUint32(locator, true) === 0x07064b50) return true;
  return view.getUint16(end + 10, true) === 0xffff || view.getUint32(end + 16, true) === 0xffffffff;
}

function damaged(): BundleError {
  return new BundleError("The zip is damaged");
}
