import type { BodyAnswer } from "../../query/answer-body.js";

/** An answer as it is sent, once or many times. */
export interface EncodedAnswer extends Pick<BodyAnswer, "headers" | "attested"> {
  readonly status: 200 | 400 | 429;
  readonly bytes: Buffer;
}

/** An answer in the bytes it is sent as. */
export function encoded({ body, ...rest }: BodyAnswer): EncodedAnswer {
  return { ...rest, bytes: Buffer.from(body) };
}

/** What is answered to a client that has had too much work done. @param wait milliseconds until it may ask again */
export function overspent(wait: number): EncodedAnswer {
  const seconds = Math.ceil(wait / 1000);
  const message = `Your queries have used more of the server's time than one client may use. Try again in ${seconds} s, or request less at once.`;
  return {
    status: 429,
    bytes: Buffer.from(JSON.stringify({ errors: [{ message }] })),
    headers: { "retry-after": String(seconds) },
  };
}
