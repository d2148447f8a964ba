import { ChainError } from "../../runtime/chain/chain.js";

/** A node's answer has an integer that its column cannot hold. */
export class NotInRangeError extends ChainError {
  override readonly name = "NotInRangeError";
}
