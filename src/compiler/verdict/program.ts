import type { ts } from "ts-morph";
import type { AscPlace, AscTyped } from "../asc/asc.js";
import type { EmittedFile } from "../emit/emitted-file.js";
import { type Location, positionAt } from "../source/source.js";
import { TypedExpression, typesByPlace } from "./typed-expression.js";

/** A range in emitted code, traced back to the configuration. */
export interface Traced {
  readonly expression: TypedExpression;
  readonly location: Location;
  /** The part of the expression with exactly that range. */
  readonly node: ts.Expression | undefined;
}

/** The emitted program, to trace its ranges back to the user's expressions. */
export class Program {
  readonly #files: ReadonlyMap<string, EmittedFile>;
  readonly #byFile: ReadonlyMap<string, readonly TypedExpression[]>;

  constructor(files: readonly EmittedFile[], types: readonly AscTyped[]) {
    const byPlace = typesByPlace(types);
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#byFile = new Map(
      files.map((file) => [
        file.path,
        file.expressions.map((emitted) => new TypedExpression(file, emitted, byPlace)),
      ]),
    );
  }

  /** All user expressions. */
  get expressions(): readonly TypedExpression[] {
    return [...this.#byFile.values()].flat();
  }

  /**
   * Traces a range to its expression, and the part it covers. The compiler may blame the text directly before
   * or after an expression: then the whole expression is meant.
   */
  trace(place: AscPlace): Traced | undefined {
    const expressions = this.#byFile.get(place.file) ?? [];
    for (const expression of expressions) {
      const location = expression.cut(place);
      if (location) return { expression, location, node: expression.nodeAt(place) };
    }
    const near = expressions.find((expression) => expression.isNextTo(place));
    return near && { expression: near, location: near.whole, node: near.root };
  }

  /** ` (src/vault.ts:31:58)`. */
  placeWords(at: AscPlace | undefined): string {
    if (!at) return "";
    const file = this.#files.get(at.file);
    if (!file) return ` (${at.file})`;
    const { line, column } = positionAt({ path: file.path, text: file.text }, at.start);
    return ` (${at.file}:${line}:${column})`;
  }
}
