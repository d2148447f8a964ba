import type { ASTNode } from "graphql";
import { nowhere, type Position } from "../query-error.js";

/** Where a piece of a query begins. */
export function positionOf({ loc }: ASTNode): Position {
  return loc ? { line: loc.startToken.line, column: loc.startToken.column } : nowhere;
}
