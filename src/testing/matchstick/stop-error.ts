/**
 * A mistake in a test that matchstick answers by ending the whole run: a critical log, a file that is not mocked, an
 * entity type that the schema lacks. Here it fails the test that made it, even one that should fail.
 */
export class StopError extends Error {
  override readonly name = "StopError";
}
