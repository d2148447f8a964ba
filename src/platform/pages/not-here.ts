import { Problem } from "../problem.js";

/** The page does not exist, but the visitor may have meant one of those listed. */
export class NotHere extends Problem {
  /** Texts and addresses of links. */
  readonly instead: readonly (readonly [text: string, address: string])[];

  constructor(message: string, instead: NotHere["instead"]) {
    super("subgraph-not-found", message);
    this.instead = instead;
  }
}
