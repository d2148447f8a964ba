import type { ts } from "ts-morph";
import type { AscPlace, AscTyped } from "../asc/asc.js";
import type { EmittedFile } from "../emit/emitted-file.js";
import { type Location, positionAt } from "../source/source.js";
import { TypedExpression, typesByPlace } from "./typed-expression.js";

/** A place in emitted code, brought back to the configuration. */
export interface Traced {
  readonly expression: TypedExpression;
  readonly location: Location;
  /** The part of the expression that stands exactly there. */
  readonly node: ts.Expression | undefined;
}

/** The emitted program, as a way back from its places to the user's expressions. */
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

  /** All of the user's expressions. */
  get expressions(): readonly TypedExpression[] {
    return [...this.#byFile.values()].flat();
  }

  /**
   * The expression that a place belongs to, and the part of it that the place covers. The compiler may blame what
   * stands right before the expression, or right behind it: all of it is meant then.
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
