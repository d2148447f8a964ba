/** IPFS refused, or did not do or give what it was asked for; the message is for people and says what to do. */
export class IpfsError extends Error {
  override readonly name = "IpfsError";
}
