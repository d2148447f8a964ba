import { Problem, type ProblemType } from "../problem.js";

/** The page does not exist. The listed ones may be meant. */
export class NotHere extends Problem {
  /** Texts and addresses of links. */
  readonly instead: readonly (readonly [text: string, address: string])[];

  constructor(message: string, instead: NotHere["instead"], type: ProblemType = "subgraph-not-found") {
    super(type, message);
    this.instead = instead;
  }
}
