import type { ts } from "ts-morph";
import { present } from "../../base/invariant.js";
import type { AscPlace, AscTyped } from "../asc/asc.js";
import type { Edit } from "../diagnostics/diagnostic.js";
import type { EmittedExpression, EmittedFile } from "../emit/emitted-file.js";
import { sourceOffset } from "../emit/origins.js";
import type { UserExpression } from "../model/enrichment.js";
import type { Handler } from "../model/handler.js";
import type { Location } from "../source/source.js";
import { withoutParentheses } from "../syntax/member-path.js";
import { typescript } from "../syntax/typescript.js";

const prefix = "(\n";

/** A user's expression as compiled: its syntax, and the known types of its parts. */
export class TypedExpression {
  readonly user: UserExpression;
  readonly root: ts.Expression;
  /** The handler that evaluates it. */
  readonly handler: Handler | undefined;
  readonly #file: string;
  readonly #start: number;
  readonly #end: number;
  readonly #around: EmittedExpression["around"];
  readonly #types: ReadonlyMap<string, string>;

  /** @param types by `typeKey` of file, start and end */
  constructor(
    file: EmittedFile,
    { start, end, around, user }: EmittedExpression,
    types: ReadonlyMap<string, string>,
    handler: Handler | undefined,
  ) {
    const parsed = typescript.createSourceFile(
      "e.ts",
      `${prefix}${user.text}\n)`,
      typescript.ScriptTarget.ES2020,
      true,
    );
    const [statement] = parsed.statements;
    const outer = statement && typescript.isExpressionStatement(statement) ? statement.expression : undefined;
    const inner = outer && typescript.isParenthesizedExpression(outer) ? outer.expression : undefined;
    this.user = user;
    this.root = present(inner, "an emitted expression is none");
    this.handler = handler;
    this.#file = file.path;
    this.#start = start;
    this.#end = end;
    this.#around = around;
    this.#types = types;
  }

  /** The compiler's type of a part: `BigInt | null`, `string`, `i32`; `undefined` if it did not get that far. */
  typeOf(node: ts.Expression): string | undefined {
    const bare = withoutParentheses(node);
    const start = this.#start + bare.getStart() - prefix.length;
    return this.#types.get(typeKey({ file: this.#file, start, end: this.#start + bare.end - prefix.length }));
  }

  /** The location of a part in the configuration. */
  at(node: ts.Node): Location {
    return this.#part(node.getStart() - prefix.length, node.end - prefix.length);
  }

  replace(node: ts.Node, text: string): Edit {
    const start = sourceOffset(this.user, node.getStart() - prefix.length);
    const end = sourceOffset(this.user, node.end - prefix.length);
    return { kind: "part", of: this.user.expression, start, end, text };
  }

  /** The location in the configuration of a range in the emitted file; `undefined` if they do not overlap. */
  cut(place: AscPlace): Location | undefined {
    if (place.file !== this.#file || place.start >= this.#end || place.end <= this.#start) return undefined;
    const from = Math.max(place.start, this.#start) - this.#start;
    return this.#part(from, Math.min(place.end, this.#end) - this.#start);
  }

  /**
   * Whether a range in the emitted file touches the expression, apart from the statement's own punctuation.
   */
  isNextTo({ file, start, end }: AscPlace): boolean {
    if (file !== this.#file) return false;
    return end <= this.#start ? end >= this.#around.start : start >= this.#end && start <= this.#around.end;
  }

  get whole(): Location {
    return this.#part(0, this.user.text.length);
  }

  /** The outermost expression with exactly this range in the emitted file. */
  nodeAt({ start, end }: AscPlace): ts.Expression | undefined {
    const from = start - this.#start + prefix.length;
    const to = end - this.#start + prefix.length;
    const visit = (node: ts.Node): ts.Expression | undefined => {
      if (node.getStart() === from && node.end === to && typescript.isExpression(node)) return node;
      return typescript.forEachChild(node, visit);
    };
    return visit(this.root);
  }

  #part(from: number, to: number): Location {
    return this.user.expression.part(sourceOffset(this.user, from), sourceOffset(this.user, to));
  }
}

/** The types of all parts by range. */
export function typesByPlace(types: readonly AscTyped[]): ReadonlyMap<string, string> {
  return new Map(types.map((typed) => [typeKey(typed), typed.type]));
}

function typeKey({ file, start, end }: AscPlace): string {
  return `${file} ${start} ${end}`;
}

/** The text of a part, in parentheses if an appended member or operator would bind more tightly. */
export function primary(node: ts.Expression): string {
  const binds =
    typescript.isLeftHandSideExpression(node) &&
    !typescript.isNumericLiteral(node) &&
    !typescript.isTypeAssertionExpression(node);
  return binds ? node.getText() : `(${node.getText()})`;
}
