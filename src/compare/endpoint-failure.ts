/** An endpoint gave no answer that can be compared; the message names the endpoint and says what to do. */
export class EndpointFailure extends Error {
  override readonly name = "EndpointFailure";
}
