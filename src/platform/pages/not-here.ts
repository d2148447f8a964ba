import { Problem, type ProblemType } from "../problem.js";

/** The page does not exist, but the visitor may have meant one of those listed. */
export class NotHere extends Problem {
  /** Texts and addresses of links. */
  readonly instead: readonly (readonly [text: string, address: string])[];

  constructor(message: string, instead: NotHere["instead"], type: ProblemType = "subgraph-not-found") {
    super(type, message);
    this.instead = instead;
  }
}
