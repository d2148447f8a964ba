import { reportFailure } from "../failures.js";

/** Functions that are called across threads; messages must be able to carry their arguments and results. */
export type PortFunctions<Calls> = {
  readonly [Name in keyof Calls]: (...args: never[]) => Promise<unknown>;
};

export interface PortCall<Calls> {
  readonly id: number;
  readonly name: keyof Calls;
  readonly args: readonly never[];
}

/** The reply to a call: its result, or its failure. */
export type PortReply<Failure> =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure };

interface OpenCall {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** Remote procedure calls over a port, for the calling thread: ids match replies to calls. */
export class PortCaller<Calls extends PortFunctions<Calls>, Failure> {
  readonly #post: (call: PortCall<Calls>) => void;
  readonly #errorOf: (failure: Failure) => Error;
  readonly #open = new Map<number, OpenCall>();
  #lastId = 0;
  #over: Error | undefined;

  /**
   * @param post sends a call to the other end, where `answerCalls` takes it
   * @param errorOf creates the error that a call rejects with
   */
  constructor(post: (call: PortCall<Calls>) => void, errorOf: (failure: Failure) => Error) {
    this.#post = post;
    this.#errorOf = errorOf;
  }

  /** Whether no call waits for its reply. */
  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /**
   * Calls a function at the other end.
   * @throws the error that `errorOf` makes of a failure, or the reason given to `end`
   */
  call<Name extends keyof Calls>(name: Name, ...args: Parameters<Calls[Name]>): ReturnType<Calls[Name]>;
  call(name: keyof Calls, ...args: readonly never[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#over);
      const id = ++this.#lastId;
      // A call that cannot be sent throws here and does not wait.
      this.#post({ id, name, args });
      this.#open.set(id, { resolve, reject });
    });
  }

  /** Settles the call that a reply belongs to. A reply to a call that no longer waits is ignored. */
  settle(reply: PortReply<Failure>): void {
    const call = this.#open.get(reply.id);
    this.#open.delete(reply.id);
    if ("failure" in reply) call?.reject(this.#errorOf(reply.failure));
    else call?.resolve(reply.result as never);
  }

  /** Rejects the calls that wait, and all that follow. */
  end(why: Error): void {
    this.#over ??= why;
    for (const { reject } of this.#open.values()) reject(why);
    this.#open.clear();
  }
}

/**
 * Remote procedure calls over a port, for the called thread: answers the calls that arrive.
 * @param post sends a reply back
 * @param failureOf turns an error into a failure that a message can carry
 * @returns a function that takes a call; its promise is fulfilled once the call is answered, and never rejects
 */
export function answerCalls<Calls extends PortFunctions<Calls>, Failure>(
  calls: Calls,
  post: (reply: PortReply<Failure>) => void,
  failureOf: (error: unknown, name: keyof Calls) => Failure,
): (call: PortCall<Calls>) => Promise<void> {
  return async (call) => {
    try {
      const { id, name, args } = call;
      try {
        post({ id, result: await calls[name](...args) });
      } catch (error) {
        // Also for a result that no message can carry.
        post({ id, failure: failureOf(error, name) });
      }
    } catch (error) {
      // The other end is gone, or has sent something that is not a call.
      reportFailure(error);
    }
  };
}
