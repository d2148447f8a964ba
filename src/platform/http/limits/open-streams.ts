import type { FastifyInstance, FastifyReply } from "fastify";
import { reportFailure } from "../../../base/failures.js";
import { guarded } from "../../../base/turns/guarded.js";
import type { World } from "../../../base/world.js";
import { EventStream } from "../event-stream.js";

/** Event streams that do not end by themselves. The server ends them when it closes. */
export class OpenStreams {
  readonly #streams = new Set<EventStream>();
  #isEnding = false;

  /** @param app the part of the server that answers */
  constructor(app: FastifyInstance) {
    // The server waits for open answers.
    app.addHook("preClose", async () => {
      this.#isEnding = true;
      for (const stream of this.#streams) stream.end();
    });
  }

  /**
   * Opens a response; while the server closes, one that is complete at once.
   * @param onGone called once the client has left
   * @param silence milliseconds between two comments
   */
  open(
    reply: FastifyReply,
    world: Pick<World, "timeout">,
    onGone: () => void,
    silence?: number,
  ): EventStream {
    const stream = new EventStream(world, silence);
    this.#streams.add(stream);
    const forget = (): void => {
      this.#streams.delete(stream);
      onGone();
    };
    stream.signal.addEventListener("abort", guarded(forget, reportFailure));
    // A kept-alive connection would make a closing server wait for it.
    void reply.type("text/event-stream").header("x-accel-buffering", "no").header("connection", "close");
    // A request that came before may open its answer only now.
    if (this.#isEnding) stream.end();
    return stream;
  }
}
