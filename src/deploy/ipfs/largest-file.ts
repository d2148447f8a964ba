import { BundleError } from "../../subgraph/bundle-error.js";

/** Largest file that graph-node reads from IPFS, in bytes. */
export const largestFile = 25 * 1_048_576;

/** @throws BundleError for a file that exceeds graph-node's limit */
export function checkFileSize(path: string, size: number): void {
  if (size <= largestFile) return;
  const [has, most] = [size, largestFile].map((number) => number.toLocaleString("en"));
  const way = path.endsWith(".wasm")
    ? "make it smaller, for example by stronger optimisation"
    : path.endsWith(".json")
      ? "remove what no handler uses"
      : "make it smaller";
  throw new BundleError(
    `"${path}" has ${has} bytes, but graph-node reads at most ${most} bytes of a file; ${way}`,
  );
}
