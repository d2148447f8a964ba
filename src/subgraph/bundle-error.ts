/** A build that cannot be deployed or run. The message says why and what to do. */
export class BundleError extends Error {
  override readonly name = "BundleError";
}
