/** Functions that are called across threads: what crosses must be of the kind that messages can carry. */
export type PortFunctions<Calls> = {
  readonly [Name in keyof Calls]: (...args: never[]) => Promise<unknown>;
};

/** A call on its way. */
export interface PortCall<Calls> {
  readonly id: number;
  readonly name: keyof Calls;
  readonly args: readonly never[];
}

/** What comes back: the result of a call, or what went wrong. */
export type PortReply<Failure> =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure };

interface OpenCall {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** Remote procedure calls over a port, from the thread that calls: ids match replies to calls. */
export class PortCaller<Calls extends PortFunctions<Calls>, Failure> {
  readonly #post: (call: PortCall<Calls>) => void;
  readonly #errorOf: (failure: Failure) => Error;
  readonly #open = new Map<number, OpenCall>();
  #lastId = 0;
  #over: Error | undefined;

  /**
   * @param post sends a call to the other end, where `answerCalls` takes it
   * @param errorOf makes the error that a call rejects with
   */
  constructor(post: (call: PortCall<Calls>) => void, errorOf: (failure: Failure) => Error) {
    this.#post = post;
    this.#errorOf = errorOf;
  }

  /** Whether no call waits for its reply. */
  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** Calls a function of the other end. @throws what `errorOf` makes of its failure, or what `end` was given */
  call<Name extends keyof Calls>(name: Name, ...args: Parameters<Calls[Name]>): ReturnType<Calls[Name]>;
  call(name: keyof Calls, ...args: readonly never[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#over);
      const id = ++this.#lastId;
      // What cannot be sent throws here, and waits for nothing.
      this.#post({ id, name, args });
      this.#open.set(id, { resolve, reject });
    });
  }

  /** Takes a reply in. One to a call that waits no longer is passed over. */
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
 * Answers calls that come over a port, in the thread that is called.
 * @param post sends a reply back
 * @param failureOf makes of an error what can cross
 * @returns what takes a call; fulfilled once it is answered
 */
export function answerCalls<Calls extends PortFunctions<Calls>, Failure>(
  calls: Calls,
  post: (reply: PortReply<Failure>) => void,
  failureOf: (error: unknown, name: keyof Calls) => Failure,
): (call: PortCall<Calls>) => Promise<void> {
  return async ({ id, name, args }) => {
    let reply: PortReply<Failure>;
    try {
      reply = { id, result: await calls[name](...args) };
    } catch (error) {
      reply = { id, failure: failureOf(error, name) };
    }
    post(reply);
  };
}
