/** It is unknown whether a server made a change. */
export class UnknownChange extends Error {
  override readonly name = "UnknownChange";

  /** How to find out the outcome: a whole sentence. */
  readonly advice: string;

  /** @param claim the sentence that is true if the change was made: `pools/1.0.0 was deleted` */
  constructor(claim: string, advice: string, cause: unknown) {
    super(`It is unknown whether ${claim}`, { cause });
    this.advice = advice;
  }
}
