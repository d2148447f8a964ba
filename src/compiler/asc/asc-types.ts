import type { AscPlace, AscTyped } from "./asc.js";
import type { Methods, Patches } from "./asc-patches.js";
import type { SourceRange } from "./asc-source-range.js";

/** The methods that type an expression. Implicit conversions happen elsewhere. */
const TYPING = [
  "compileAssertionExpression",
  "compileBinaryExpression",
  "compileCallExpression",
  "compileElementAccessExpression",
  "compileIdentifierExpression",
  "compileLiteralExpression",
  "compileNewExpression",
  "compilePropertyAccessExpression",
  "compileTernaryExpression",
  "compileUnaryPostfixExpression",
  "compileUnaryPrefixExpression",
];

/** The element that the resolver finds for an expression: a variable, a property or a class. */
interface FoundElement {
  readonly type?: { toString(): string };
  readonly getterInstance?: { readonly signature: { readonly returnType: { toString(): string } } } | null;
}

/** The part of the compiler that types expressions. */
interface TypingCompiler {
  readonly currentType: { toString(): string };
}

/**
 * Records the type of every expression inside the given ones.
 * @returns a function that returns the types recorded so far; if an expression had several, the last one
 */
export function watchTypes(
  { Compiler, Resolver }: { readonly Compiler: Prototyped; readonly Resolver: Prototyped },
  expressions: readonly AscPlace[],
  patches: Patches,
): () => readonly AscTyped[] {
  const watched = new Map<string, AscPlace[]>();
  for (const place of expressions) {
    const known = watched.get(place.file);
    if (known) known.push(place);
    else watched.set(place.file, [place]);
  }
  for (const places of watched.values()) places.sort((a, b) => a.start - b.start);
  const found = new Map<string, AscTyped>();
  const note = (node: unknown, type: string, isFinal: boolean): void => {
    const { range } = node as { readonly range: SourceRange };
    const file = range.source.normalizedPath;
    if (!isInside(range, watched.get(file) ?? [])) return;
    const key = `${file} ${range.start} ${range.end}`;
    if (isFinal || !found.has(key)) found.set(key, { file, start: range.start, end: range.end, type });
  };
  for (const name of TYPING) {
    patches.wrap(Compiler.prototype, name, (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        const result = original.apply(this, args);
        note(args[0], (this as TypingCompiler).currentType.toString(), true);
        return result;
      };
    });
  }
  // The compiler compiles the object of a member access only if the member exists; otherwise it only looks the object
  // up.
  patches.wrap(Resolver.prototype, "lookupExpression", (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const element = original.apply(this, args);
      const { type, getterInstance } = (element ?? {}) as FoundElement;
      const known = type ?? getterInstance?.signature.returnType;
      if (known) note(args[0], known.toString(), false);
      return element;
    };
  });
  return () => [...found.values()];
}

interface Prototyped {
  readonly prototype: Methods;
}

/** Whether one of the sorted, disjoint places contains the range. */
function isInside({ start, end }: SourceRange, places: readonly AscPlace[]): boolean {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as AscPlace).start <= start) low = middle + 1;
    else high = middle;
  }
  const place = places[low - 1];
  return place !== undefined && end <= place.end;
}
