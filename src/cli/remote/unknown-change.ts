/** A server was to change something, and nobody knows whether it has. */
export class UnknownChange extends Error {
  override readonly name = "UnknownChange";

  /** How to find out: a whole sentence. */
  readonly advice: string;

  /** @param claim the sentence of which it is not known whether it is true: `pools/1.0.0 was deleted` */
  constructor(claim: string, advice: string, cause: unknown) {
    super(`Whether ${claim} is not known`, { cause });
    this.advice = advice;
  }
}
