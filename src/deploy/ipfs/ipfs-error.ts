/**
 * IPFS refused a request, or its response is not what was asked for; the message is for people and says what
 * to do.
 */
export class IpfsError extends Error {
  override readonly name = "IpfsError";
}
