/**
 * - `passing`: another request may succeed.
 * - `behind`: the service does not have the blocks yet.
 * - `fork`: the service has other blocks than it returned before.
 * - `fields`: it refuses the request, perhaps because it does not know all of its fields.
 * - `lasting`: it refuses every such request.
 */
export type FaultKind = "passing" | "behind" | "fork" | "fields" | "lasting";

/** A request to a source of history that has no usable answer. The message is a part of a sentence, without secrets. */
export class SourceFault extends Error {
  override readonly name = "SourceFault";
  readonly kind: FaultKind;
  /** Milliseconds to wait, if the service has said so. */
  readonly wait: number | undefined;

  constructor(kind: FaultKind, why: string, wait?: number) {
    super(why);
    this.kind = kind;
    this.wait = wait;
  }
}
