/**
 * A mistake in a test for which matchstick would end the whole run: a critical log, a file that is not mocked, an
 * entity type that the schema lacks. Here it fails the test, even one that should fail.
 */
export class StopError extends Error {
  override readonly name = "StopError";
}
