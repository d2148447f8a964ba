import { posix } from "node:path";
import { quoteForeign } from "../../base/quote-foreign.js";
import { type Build, manifestPath } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { collectBuild } from "../../subgraph/collect-build.js";
import { BundleSizeError, unpackedSize, unzipBundle } from "../../subgraph/unzip-bundle.js";
import { Problem } from "../problem.js";

/**
 * Reads the build in an uploaded zip.
 * @throws Problem `bad-request` when it is not a zip, `too-large`, or `unprocessable` for a zip without a whole build
 */
export async function readBuild(bundle: Uint8Array): Promise<Build> {
  const files = await unzipBundle(bundle).catch(refuse);
  try {
    return collectBuild({ manifest: manifestIn(files), files });
  } catch (error) {
    throw error instanceof BundleError ? new Problem("unprocessable", error.message) : error;
  }
}

/**
 * The bytes that an uploaded zip unpacks to.
 * @throws Problem `bad-request` when it is not a zip, `too-large`
 */
export function sizeOfBuild(bundle: Uint8Array): number {
  try {
    return unpackedSize(bundle);
  } catch (error) {
    return refuse(error);
  }
}

/** @throws Problem for a zip that cannot be unpacked */
function refuse(error: unknown): never {
  if (error instanceof BundleSizeError) throw new Problem("too-large", `${error.message}.`);
  if (!(error instanceof BundleError)) throw error;
  throw new Problem("bad-request", `The bundle cannot be read: ${error.message}.`, {
    errors: [{ field: "bundle", message: error.message }],
  });
}

/** Finds the manifest. A zip contains the files of the build folder, or the folder itself. */
function manifestIn(files: ReadonlyMap<string, Uint8Array>): string {
  if (files.has(manifestPath)) return manifestPath;
  const deeper = [...files.keys()].filter((path) => posix.basename(path) === manifestPath);
  const [only] = deeper;
  if (only !== undefined && deeper.length === 1) return only;
  throw new BundleError(
    deeper.length === 0
      ? `The zip has no ${manifestPath}; ${missingHint(files)}`
      : `The zip has several ${manifestPath}; zip the build of one chain`,
  );
}

function missingHint(files: ReadonlyMap<string, Uint8Array>): string {
  const other = [...files.keys()].find((path) => posix.basename(path) === "subgraph.yml");
  if (other !== undefined) return `rename ${quoteForeign(other)} to ${manifestPath}`;
  return "zip the folder that the build wrote";
}
