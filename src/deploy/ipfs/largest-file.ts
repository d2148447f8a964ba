import { BundleError } from "../../subgraph/bundle-error.js";

/** Bytes of one file that graph-node reads from IPFS. */
export const largestFile = 25 * 1_048_576;

/** @throws BundleError for a file that graph-node would not read */
export function checkFileSize(path: string, size: number): void {
  if (size <= largestFile) return;
  const [has, most] = [size, largestFile].map((number) => number.toLocaleString("en"));
  throw new BundleError(
    `"${path}" has ${has} bytes, and graph-node reads at most ${most} of a file; make it smaller, by stronger optimisation for instance`,
  );
}
