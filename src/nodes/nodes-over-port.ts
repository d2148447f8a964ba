import type { MessagePort } from "node:worker_threads";
import type { World } from "../base/world.js";
import { ChainError } from "../runtime/chain/chain.js";
import type { Files } from "../runtime/files/files.js";
import type { HeadNotice, NodesReply, NodesRequest } from "./messages.js";

/** What a thread reaches of the network: nodes and files, over a port (`serveNodes`). */
export class NodesOverPort {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, (reply: NodesReply) => void>();
  readonly #signal: AbortSignal;
  #lastId = 0;
  #isNew = false;
  #wake: (() => void) | undefined;

  /** @param signal once aborted, nothing is answered any more */
  constructor(port: MessagePort, signal: AbortSignal) {
    this.#port = port;
    this.#signal = signal;
    port.on("message", (message: NodesReply | HeadNotice) => {
      if (message.kind === "head") {
        this.#isNew = true;
        this.#wake?.();
        return;
      }
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  /** Sends a body to the nodes, whatever the address. */
  readonly fetch: World["fetch"] = async (_, { body }) => {
    const reply = await this.#ask({ kind: "rpc", body: String(body) });
    if (reply.kind !== "answered") throw new Error(reply.kind === "failed" ? reply.message : "no answer");
    const { status, bytes, retryAfter, silence } = reply;
    if (silence) throw silenceOf(silence, new TextDecoder().decode(bytes));
    const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    // Answers with these statuses have no content, so that it is none of JSON-RPC.
    const known = status < 200 || [204, 205, 304].includes(status) ? 503 : status;
    return new Response(Buffer.from(bytes), { status: known, headers });
  };

  /** Files of IPFS. */
  readonly files: Files = {
    read: async (path, milliseconds) => {
      const reply = await this.#ask({ kind: "file", path, milliseconds });
      if (reply.kind === "file") return reply.bytes;
      throw new ChainError(reply.kind === "failed" ? reply.message : "the gateway gave no file");
    },
  };

  /** Waits until the chain has another head than when this was called before, or for a time at the most. */
  async newHead(sleep: (milliseconds: number) => Promise<void>, most: number): Promise<void> {
    if (!this.#isNew) {
      const noticed = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([noticed, sleep(most)]);
    }
    this.#isNew = false;
  }

  close(): void {
    this.#port.close();
  }

  #ask(task: RequestTask): Promise<NodesReply> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(id);
        reject(new Error("stopped"));
      };
      if (this.#signal.aborted) return stop();
      this.#signal.addEventListener("abort", stop, { once: true });
      this.#waiting.set(id, (reply) => {
        this.#signal.removeEventListener("abort", stop);
        resolve(reply);
      });
      this.#port.postMessage({ id, ...task } satisfies NodesRequest);
    });
  }
}

/** What `fetch` rejects with where there is no answer. */
function silenceOf(silence: "away" | "late", why: string): Error {
  return silence === "late" ? new DOMException(why, "TimeoutError") : new Error(why);
}

type RequestTask = NodesRequest extends infer Each
  ? Each extends NodesRequest
    ? Omit<Each, "id">
    : never
  : never;
