import { expect, it } from "vitest";
import { readPipedToken } from "../../../src/cli/login/login.js";

async function* piped(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}
const endless = (): AbortSignal => new AbortController().signal;

it("login reads piped input to its end", async () => {
  expect(await readPipedToken({ stdin: piped("gl_", "abc", "\n") }, { timeout: endless })).toBe("gl_abc\n");
});

it("login explains what to do when the piped input is empty", async () => {
  for (const stdin of [piped(), piped(" ", "\n"), undefined])
    await expect(readPipedToken({ ...(stdin && { stdin }) }, { timeout: endless })).rejects.toThrow(
      "Run graphloom login in a terminal",
    );
});

it("login stops waiting for a pipe that stays silent", async () => {
  const limit = new AbortController();
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
  const reading = readPipedToken({ stdin: silent }, { timeout: () => limit.signal });
  limit.abort();
  await expect(reading).rejects.toThrow("Run graphloom login in a terminal, pipe an API key into it");
});
