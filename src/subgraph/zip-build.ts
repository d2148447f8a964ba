import { type Zippable, zipSync } from "fflate";
import { quoteForeign } from "../base/text/quote-foreign.js";
import type { Build } from "./build.js";
import { BundleError } from "./bundle-error.js";

/** Size limits of a bundle, in bytes. */
export interface BundleLimits {
  readonly compressed: number;
  readonly extracted: number;
}

const unlimited: BundleLimits = {
  compressed: Number.POSITIVE_INFINITY,
  extracted: Number.POSITIVE_INFINITY,
};

/** The earliest date that a zip can hold. Zips store local time, so this is the same in all time zones. */
export function zipDate(): Date {
  return new Date(1980, 0, 1, 12);
}

/** A regular file, mode 0644. */
export const zipAttributes = { os: 3, attrs: 0o100644 << 16 };

/**
 * Packs a build as a zip: files sorted by path, without folder entries. Deterministic: the same build gives
 * the same bytes.
 * @throws BundleError if it exceeds a limit
 */
export function zipBuild({ files }: Build, limits: BundleLimits = unlimited): Uint8Array {
  const extracted = [...files.values()].reduce((total, { length }) => total + length, 0);
  check(extracted, limits.extracted, "unpacked", files);
  const paths = [...files.keys()].sort();
  const entries = paths.map((path) => [path, files.get(path) as Uint8Array] as const);
  const zip = zipSync(Object.fromEntries(entries) as Zippable, {
    level: 9,
    mtime: zipDate(),
    ...zipAttributes,
  });
  check(zip.length, limits.compressed, "as a zip", files);
  return zip;
}

function check(size: number, limit: number, how: string, files: ReadonlyMap<string, Uint8Array>): void {
  if (size <= limit) return;
  const largest = [...files]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, 3)
    .map(([path, { length }]) => `${quoteForeign(path)} (${digits(length)})`);
  throw new BundleError(
    `The build has ${digits(size)} bytes ${how}, but only ${digits(limit)} are allowed; its largest files are ${largest.join(", ")}. ` +
      "Make these smaller: leave out unused events, or build with stronger optimisation",
  );
}

function digits(number: number): string {
  return number.toLocaleString("en");
}
