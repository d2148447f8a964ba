import { Problem } from "../problem.js";

/** There is no such page, but others may be what was looked for. */
export class NotHere extends Problem {
  /** Texts and addresses of links. */
  readonly instead: readonly (readonly [text: string, address: string])[];

  constructor(message: string, instead: NotHere["instead"]) {
    super("subgraph-not-found", message);
    this.instead = instead;
  }
}
