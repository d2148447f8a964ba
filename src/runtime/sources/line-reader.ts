import type { World } from "../../base/world.js";
import { networkFailure } from "../../web/http/network-failure.js";
import { SourceFault } from "./source-fault.js";

/** UTF-16 units of the longest line that is read: a block with the logs of one filter and their transactions. */
export const longestLine = 32 * 1024 * 1024;

/** The circumstances of an answer. */
export interface AnswerMeans {
  readonly world: Pick<World, "timeout">;
  /** Milliseconds to wait for the next bytes. */
  readonly stall: number;
  /** Removes secrets from the words of a network library. */
  clean(text: string): string;
  /** Ends the request. */
  end(): void;
}

/** Reads an answer line by line, no further than it is asked to, so that the server is held back. */
export class LineReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #means: AnswerMeans;
  readonly #decoder = new TextDecoder();
  #lines: string[] = [];
  #rest: string[] = [];
  #length = 0;
  #isDone = false;

  constructor(body: ReadableStream<Uint8Array>, means: AnswerMeans) {
    this.#reader = body.getReader();
    this.#means = means;
  }

  /**
   * The next line that is not empty, without its line break; `undefined` at the end.
   * @throws SourceFault if the connection breaks or stalls, or if a line is too long
   */
  async next(): Promise<string | undefined> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) {
        if (line.trim() !== "") return line;
        continue;
      }
      if (this.#isDone) return undefined;
      await this.#fill();
    }
  }

  /** Ends the request. */
  close(): void {
    this.#isDone = true;
    this.#lines = [];
    this.#rest = [];
    this.#means.end();
    // A body that has failed rejects this as well.
    this.#reader.cancel().catch(() => undefined);
  }

  async #fill(): Promise<void> {
    const { world, stall, clean } = this.#means;
    const { done, value } = await within(world, stall, this.#reader.read(), clean);
    const text = done ? this.#decoder.decode() : this.#decoder.decode(value, { stream: true });
    const [first = "", ...others] = text.split("\n");
    this.#add(first);
    for (const part of others) {
      this.#lines.push(this.#rest.join(""));
      this.#rest = [];
      this.#length = 0;
      this.#add(part);
    }
    if (!done) return;
    this.#isDone = true;
    // The last line may lack its line break. One that was cut short is not valid JSON.
    this.#lines.push(this.#rest.join(""));
    this.#rest = [];
  }

  #add(part: string): void {
    this.#rest.push(part);
    this.#length += part.length;
    if (this.#length > longestLine)
      throw new SourceFault("lasting", `it sent a line of more than ${longestLine / 1024 / 1024} MiB`);
  }
}

/**
 * The outcome of work of the network, unless it takes too long.
 * @param clean removes secrets from the words of a network library
 * @throws SourceFault, also in place of an error of the network
 */
export async function within<T>(
  world: Pick<World, "timeout">,
  milliseconds: number,
  work: Promise<T>,
  clean: (text: string) => string,
): Promise<T> {
  const signal = world.timeout(milliseconds);
  let stop = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    stop = () => reject(new SourceFault("passing", `it was silent for ${milliseconds / 1000} s`));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    throw new SourceFault("passing", networkFailure(error, clean).reason);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
