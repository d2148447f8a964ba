/** A build that is not as it has to be, to be deployed or to be run; the message says why and what to do. */
export class BundleError extends Error {
  override readonly name = "BundleError";
}
