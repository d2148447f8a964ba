import type { Build } from "../../subgraph/build.js";
import { type BundleLimits, zipBuild } from "../../subgraph/zip-build.js";

/** The management API's limits in bytes, with the stricter reading of MB as 10^6 bytes. */
const apiLimits: BundleLimits = { compressed: 50_000_000, extracted: 100_000_000 };

/**
 * Packs a build as a zip for the management API. Deterministic: the same build gives the same bytes.
 * @throws BundleError if it exceeds the API's limits
 */
export function zipBundle(build: Build, limits: BundleLimits = apiLimits): Uint8Array {
  return zipBuild(build, limits);
}
