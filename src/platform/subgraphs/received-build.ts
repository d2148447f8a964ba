import { posix } from "node:path";
import { quoteForeign } from "../../base/text/quote-foreign.js";
import { type Build, manifestPath } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { collectBuild } from "../../subgraph/collect-build.js";
import { BundleSizeError, type OpenedBundle, openBundle } from "../../subgraph/unzip-bundle.js";
import { Problem } from "../problem.js";

/** An uploaded build. */
export interface ReceivedBuild {
  /** The bytes that it unpacks to. */
  readonly size: number;
  /**
   * Unpacks and reads it.
   * @throws Problem `bad-request` when a file is damaged, or `unprocessable` when the build is not whole
   */
  read(): Promise<Build>;
}

/**
 * Opens the zip of an upload, without unpacking it.
 * @throws Problem `bad-request` when it is not a zip, `too-large`, or `unprocessable` when it has no manifest
 */
export function openBuild(zip: Uint8Array): ReceivedBuild {
  const { paths, size, unpack } = opened(zip);
  const manifest = asUnprocessable(() => manifestIn(paths));
  return {
    size,
    read: async () => {
      const files = await unpack().catch(refuse);
      return asUnprocessable(() => collectBuild({ manifest, files }));
    },
  };
}

function opened(zip: Uint8Array): OpenedBundle {
  try {
    return openBundle(zip);
  } catch (error) {
    return refuse(error);
  }
}

/** @throws Problem for a zip that is not a build */
function asUnprocessable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof BundleError ? new Problem("unprocessable", error.message) : error;
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
function manifestIn(paths: readonly string[]): string {
  if (paths.includes(manifestPath)) return manifestPath;
  const deeper = paths.filter((path) => posix.basename(path) === manifestPath);
  const [only] = deeper;
  if (only !== undefined && deeper.length === 1) return only;
  throw new BundleError(
    deeper.length === 0
      ? `The zip has no ${manifestPath}; ${missingHint(paths)}`
      : `The zip has several ${manifestPath}; zip the build of one chain`,
  );
}

function missingHint(paths: readonly string[]): string {
  const other = paths.find((path) => posix.basename(path) === "subgraph.yml");
  if (other !== undefined) return `rename ${quoteForeign(other)} to ${manifestPath}`;
  return "zip the folder that the build wrote";
}
