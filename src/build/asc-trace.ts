import type { AscPlace } from "./built-wasm.js";

/** A place as the compiler reports it. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
  readonly source: { readonly normalizedPath: string };
}

interface SyntaxNode {
  readonly range: SourceRange;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Methods = Record<string, Method>;

/** The classes of the compiler we look over the shoulder of. */
export interface CompilerInternals {
  readonly Compiler: { readonly prototype: Methods };
  readonly Program: { readonly prototype: Methods };
  readonly Resolver: { readonly prototype: Methods };
  readonly DiagnosticEmitter: { readonly prototype: Methods };
}

/** What is known about one compilation besides what the compiler says itself. */
export interface Trace {
  /** The exception that ended it, and the innermost node of the project it was working on. */
  readonly crash: { readonly error: unknown; readonly at?: AscPlace } | undefined;
  /** The project's code that led to a diagnostic inside a library. */
  blame(diagnostic: { readonly code: number; readonly range: SourceRange | null }): AscPlace | undefined;
  /** Takes the compiler's methods back to what they were. */
  restore(): void;
}

/** How each method names the syntax it works on. */
const COMPILING: Readonly<Record<string, (argument: never) => SyntaxNode | undefined>> = {
  compileStatement: (node: SyntaxNode) => node,
  compileExpression: (node: SyntaxNode) => node,
  compileTopLevelStatement: (node: SyntaxNode) => node,
  compileFunction: nameOf,
  compileGlobal: nameOf,
  compileEnum: nameOf,
  compileClass: nameOf,
  compileFieldGetter: nameOf,
  compileFieldSetter: nameOf,
};

const RESOLVING: Readonly<Record<string, (argument: never) => SyntaxNode | undefined>> = {
  resolveExpression: (node: SyntaxNode) => node,
  lookupExpression: (node: SyntaxNode) => node,
  resolveType: (node: SyntaxNode) => node,
};

/** Watches the compiler from now on, keeping the path of nodes from the project that it is inside of. */
export function trace(internals: CompilerInternals, files: ReadonlyMap<string, string>): Trace {
  const path: SyntaxNode[] = [];
  const blamed = new Map<string, AscPlace>();
  const undo: (() => void)[] = [];
  let crash: Trace["crash"];

  const innermost = (): AscPlace | undefined => {
    const range = path.at(-1)?.range;
    return range && { file: range.source.normalizedPath, start: range.start, end: range.end };
  };
  const patch = (prototype: Methods, name: string, wrap: (original: Method) => Method): void => {
    const original = prototype[name];
    if (!original) return;
    prototype[name] = wrap(original);
    undo.push(() => {
      prototype[name] = original;
    });
  };
  const follow = (prototype: Methods, table: typeof COMPILING): void => {
    for (const [name, nodeOf] of Object.entries(table)) {
      patch(prototype, name, (original) => {
        return function (this: unknown, ...args: unknown[]): unknown {
          const node = nodeOf(args[0] as never);
          if (!node || !files.has(node.range.source.normalizedPath)) return original.apply(this, args);
          const depth = path.push(node);
          // Not in a `finally`: after an exception the path must still tell where it happened.
          const result = original.apply(this, args);
          path.length = depth - 1;
          return result;
        };
      });
    }
  };
  const catching = (prototype: Methods, name: string): void => {
    patch(prototype, name, (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        try {
          return original.apply(this, args);
        } catch (error) {
          const at = innermost();
          crash ??= { error, ...(at && { at }) };
          throw error;
        }
      };
    });
  };

  follow(internals.Compiler.prototype, COMPILING);
  follow(internals.Resolver.prototype, RESOLVING);
  catching(internals.Compiler.prototype, "compile");
  catching(internals.Program.prototype, "initialize");
  patch(internals.DiagnosticEmitter.prototype, "emitDiagnostic", (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const [code, , range] = args as [number, number, SourceRange | null];
      const at = innermost();
      if (range && at && !blamed.has(key(code, range))) blamed.set(key(code, range), at);
      return original.apply(this, args);
    };
  });

  return {
    get crash() {
      return crash;
    },
    blame: ({ code, range }) => (range ? blamed.get(key(code, range)) : undefined),
    restore: () => {
      for (const step of undo) step();
    },
  };
}

function key(code: number, range: SourceRange): string {
  return `${code} ${range.start} ${range.source.normalizedPath}`;
}

/** The name in the declaration of a compiler element; the whole declaration would be too much to point at. */
function nameOf(element: { readonly declaration?: SyntaxNode & { readonly name?: SyntaxNode } }) {
  return element.declaration?.name ?? element.declaration;
}
