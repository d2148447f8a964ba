/** An endpoint did not return a usable answer; the message names the endpoint and says what to do. */
export class EndpointFailure extends Error {
  override readonly name = "EndpointFailure";
}
