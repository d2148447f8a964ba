import type { BodyAnswer } from "../../query/answer-body.js";

/** An encoded answer, sent once or many times. */
export interface EncodedAnswer extends Pick<BodyAnswer, "headers" | "attested"> {
  /** 499 for a query whose clients have all left. */
  readonly status: 200 | 400 | 429 | 499;
  readonly bytes: Buffer;
  /** Its source: memory, a simultaneous equal query, or else the engine. */
  readonly from?: "memory" | "shared";
}

/** Encodes an answer as the bytes to send. */
export function encoded({ body, ...rest }: BodyAnswer): EncodedAnswer {
  return { ...rest, bytes: Buffer.from(body) };
}

/** For a client that has gone. */
export const abandoned: EncodedAnswer = { status: 499, bytes: Buffer.alloc(0), headers: {} };

/** The answer to a client that has used too much work. @param wait milliseconds until it may send queries again */
export function overspent(wait: number): EncodedAnswer {
  const seconds = Math.ceil(wait / 1000);
  const message = `Your queries have used more of the server's time than one client may use. Try again in ${seconds} s, or request less at once.`;
  return {
    status: 429,
    bytes: Buffer.from(JSON.stringify({ errors: [{ message }] })),
    headers: { "retry-after": String(seconds) },
  };
}
