/** IPFS refused a request, or its response does not match the request; the message tells the user what to do. */
export class IpfsError extends Error {
  override readonly name = "IpfsError";
}
