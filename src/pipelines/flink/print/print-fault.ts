import { firstOffset, isNode, type SyntaxNode } from "../../sql/syntax-tree.js";

/** A part of a query that has no form in Flink's SQL. */
export class PrintFault extends Error {
  override readonly name = "PrintFault";
  readonly hint: string;
  /** In bytes of the query; -1 for the whole query. */
  readonly offset: number;

  constructor(message: string, hint: string, offset: number) {
    super(message);
    this.hint = hint;
    this.offset = offset;
  }
}

/** @throws PrintFault */
export function refuse(what: string, hint: string, node: unknown): never {
  throw new PrintFault(
    `graphloom cannot translate ${what} for Flink`,
    hint,
    isNode(node) ? firstOffset(node, node) : -1,
  );
}

/** Members that a node may have besides its own. */
const common = ["class", "type", "query_location"];

/** Refuses a node with a member that would be lost. @throws PrintFault */
export function only(node: SyntaxNode, members: readonly string[], what: string): void {
  const unknown = Object.keys(node).find((name) => !members.includes(name) && !common.includes(name));
  if (unknown !== undefined)
    refuse(`${what} with ${unknown.replaceAll("_", " ")}`, "write it otherwise", node);
}
