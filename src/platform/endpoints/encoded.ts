import type { BodyAnswer } from "../query/answer-body.js";

/** An answer as it is sent, once or many times. */
export interface EncodedAnswer extends Omit<BodyAnswer, "body"> {
  readonly bytes: Buffer;
}

/** An answer in the bytes it is sent as. */
export function encoded({ body, ...rest }: BodyAnswer): EncodedAnswer {
  return { ...rest, bytes: Buffer.from(body) };
}
