import type { ts } from "ts-morph";
import type { AscPlace, AscTyped } from "../asc/asc.js";
import { ownMappingPath } from "../emit/emit.js";
import type { EmittedFile } from "../emit/emitted-file.js";
import type { Handler } from "../model/handler.js";
import type { SubgraphModel } from "../model/subgraph.js";
import { type Location, positionAt } from "../source/source.js";
import { TypedExpression, typesByPlace } from "./typed-expression.js";

/** A range in emitted code, traced back to the configuration. */
export interface Traced {
  readonly expression: TypedExpression;
  readonly location: Location;
  readonly node: ts.Expression | undefined;
}

/** A range in the user's own mapping, or in a call to it. */
export interface TracedOwn {
  readonly at: Location;
  /** The mistake, for a message. */
  readonly what: string;
  readonly hint?: string;
}

/** The emitted program. Traces its ranges back to the user's expressions. */
export class Program {
  readonly #model: SubgraphModel;
  readonly #files: ReadonlyMap<string, EmittedFile>;
  readonly #byFile: ReadonlyMap<string, readonly TypedExpression[]>;

  /** @param model the model behind the files */
  constructor(files: readonly EmittedFile[], types: readonly AscTyped[], model: SubgraphModel) {
    this.#model = model;
    const byPlace = typesByPlace(types);
    const handlers = new Map(
      model.modules.flatMap((module) => module.handlers.map((handler) => [handler.name, handler] as const)),
    );
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#byFile = new Map(
      files.map((file) => [
        file.path,
        file.expressions.map(
          (emitted) => new TypedExpression(file, emitted, byPlace, handlers.get(emitted.handler)),
        ),
      ]),
    );
  }

  get expressions(): readonly TypedExpression[] {
    return [...this.#byFile.values()].flat();
  }

  /**
   * Traces a range to its expression and the part that it covers. If the compiler blames the text directly before or
   * after an expression, the whole expression counts.
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

  /** Traces a range to the user's own mapping, or to the handler that names one of its functions. */
  traceOwn(place: AscPlace | undefined): TracedOwn | undefined {
    const { mapping, modules } = this.#model;
    if (!mapping || !place) return undefined;
    if (place.file === ownMappingPath(mapping)) {
      const at = { source: mapping.file, pointer: "", start: place.start, end: place.end };
      return { at, what: "AssemblyScript rejects the mapping" };
    }
    // The only generated code that can be wrong is the function's call.
    const text = this.#files.get(place.file)?.text ?? "";
    const line = text.slice(text.lastIndexOf("\n", place.start) + 1).split("\n", 1)[0] ?? "";
    const [, name] = /^ {2}(\w+)\((?:event|call)\);$/.exec(line) ?? [];
    const handler = modules
      .filter(({ fileStem }) => place.file === `src/${fileStem}.ts`)
      .flatMap(({ handlers }) => handlers)
      .find(({ own }) => name !== undefined && own?.value === name);
    if (!handler?.own) return undefined;
    const { className } = handler.trigger.bound;
    return {
      at: handler.own.at,
      what: `the function ${handler.own.value} does not take this ${handler.trigger.kind}`,
      hint: `let it take one ${className}, imported from ${this.#bindingOf(handler)}`,
    };
  }

  /** The path from which the generated code imports the class of a handler's trigger. */
  #bindingOf(handler: Handler): string {
    const module = this.#model.modules.find(({ handlers }) => handlers.includes(handler));
    const { className = "" } = module?.abi ?? {};
    return `../generated/${module?.bindings.get(className) ?? className}/${className}`;
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
