import type { ASTNode } from "graphql";
import { nowhere, type Position } from "../query-error.js";

/** The start of a part of a query. */
export function positionOf({ loc }: ASTNode): Position {
  return loc ? { line: loc.startToken.line, column: loc.startToken.column } : nowhere;
}
