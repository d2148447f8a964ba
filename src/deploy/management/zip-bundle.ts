import type { Build } from "../../subgraph/build.js";
import { type BundleLimits, zipBuild } from "../../subgraph/zip-build.js";

/** Bytes that the management API takes: "MB" read the stricter way. */
const apiLimits: BundleLimits = { compressed: 50_000_000, extracted: 100_000_000 };

/**
 * Packs a build for the management API. The same build always gives the same bytes.
 * @throws BundleError when the API would not take it
 */
export function zipBundle(build: Build, limits: BundleLimits = apiLimits): Uint8Array {
  return zipBuild(build, limits);
}
