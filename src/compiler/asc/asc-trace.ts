import type { AscPlace, AscTyped } from "./asc.js";
import type { ParserClass } from "./asc-parse-ahead.js";
import { type Methods, Patches } from "./asc-patches.js";
import { indexSignatures, type SignatureInternals } from "./asc-signatures.js";
import type { SourceRange } from "./asc-source-range.js";
import { watchTypes } from "./asc-types.js";

interface SyntaxNode {
  readonly range: SourceRange;
}

/** The compiler's classes that `trace` instruments. */
export interface CompilerInternals extends SignatureInternals {
  readonly Compiler: { readonly prototype: Methods };
  readonly Resolver: { readonly prototype: Methods };
  readonly DiagnosticEmitter: { readonly prototype: Methods };
  readonly Parser: ParserClass;
}

interface Crash {
  readonly error: unknown;
  /** The innermost syntax node of the project that was being compiled. */
  readonly at?: AscPlace;
}

/** Facts about a compilation that the compiler's messages lack. */
export interface Trace {
  readonly crash: Crash | undefined;
  /**
   * Exceptions inside expressions that did not end the compilation. If there are any, nothing is emitted.
   */
  readonly survived: readonly Crash[];
  /** The project's code behind a diagnostic in a library. */
  blame(diagnostic: { readonly code: number; readonly range: SourceRange | null }): AscPlace | undefined;
  /** The members of a class, by its full name. */
  membersOf(className: string): readonly string[];
  /** The known types of the watched expressions and their parts. */
  types(): readonly AscTyped[];
  restore(): void;
}

/** The end of the message about expressions that the compiler crashed on and skipped. */
export const MISSING_EXPRESSION = "an expression that the compiler crashed on";
const NOT_IMPLEMENTED = 100;

/** Extracts the syntax node from the argument of each compiling method. */
const COMPILING: Readonly<Record<string, (argument: never) => SyntaxNode | undefined>> = {
  compileStatement: (node: SyntaxNode) => node,
  compileExpression: (node: SyntaxNode) => node,
  compileTopLevelStatement: (node: SyntaxNode) => node,
  compileFunction: nameNode,
  compileGlobal: nameNode,
  compileEnum: nameNode,
  compileClass: nameNode,
  compileFieldGetter: nameNode,
  compileFieldSetter: nameNode,
};

const RESOLVING: Readonly<Record<string, (argument: never) => SyntaxNode | undefined>> = {
  resolveExpression: (node: SyntaxNode) => node,
  lookupExpression: (node: SyntaxNode) => node,
  resolveType: (node: SyntaxNode) => node,
};

interface ClassElement {
  readonly instanceMembers?: ReadonlyMap<string, unknown> | null;
  readonly basePrototype?: ClassElement | null;
}

/** Compiler state that an expression may leave behind, and the replacement for a skipped expression. */
interface ResumableCompiler {
  currentPipeline: unknown;
  currentType: unknown;
  readonly module: { unreachable(): unknown };
  readonly error: (code: number, range: null, argument: string) => void;
}

interface CompiledProgram {
  readonly elementsByName: ReadonlyMap<string, ClassElement>;
}

/**
 * Instruments the compiler, keeping the stack of the project's syntax nodes that are being compiled.
 * @param expressions the expressions whose types are recorded
 */
export function trace(
  internals: CompilerInternals,
  files: ReadonlyMap<string, string>,
  expressions: readonly AscPlace[],
): Trace {
  const path: SyntaxNode[] = [];
  const blamed = new Map<string, AscPlace>();
  const patches = new Patches();
  const survived: Crash[] = [];
  let crash: Crash | undefined;
  let program: CompiledProgram | undefined;

  const innermost = (): AscPlace | undefined => {
    const range = path.at(-1)?.range;
    return range && { file: range.source.normalizedPath, start: range.start, end: range.end };
  };
  const crashNow = (error: unknown): Crash => {
    const at = innermost();
    return { error, ...(at && { at }) };
  };
  const follow = (prototype: Methods, table: typeof COMPILING): void => {
    for (const [name, nodeOf] of Object.entries(table)) {
      patches.wrap(prototype, name, (original) => {
        return function (this: unknown, ...args: unknown[]): unknown {
          const node = nodeOf(args[0] as never);
          if (!node || !files.has(node.range.source.normalizedPath)) return original.apply(this, args);
          const depth = path.push(node);
          // Not in a `finally`: after an exception the stack must still show where it happened.
          const result = original.apply(this, args);
          path.length = depth - 1;
          return result;
        };
      });
    }
  };
  const catching = (prototype: Methods, name: string): void => {
    patches.wrap(prototype, name, (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        try {
          return original.apply(this, args);
        } catch (error) {
          crash ??= crashNow(error);
          throw error;
        }
      };
    });
  };

  /** Limits a crash inside an expression to that expression. */
  const surviving = (): void => {
    const whole = new Set(expressions.map((place) => placeKey(place.file, place.start, place.end)));
    patches.wrap(internals.Compiler.prototype, "compileExpression", (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        const [{ range }, contextualType] = args as [SyntaxNode, unknown];
        if (!whole.has(placeKey(range.source.normalizedPath, range.start, range.end))) {
          return original.apply(this, args);
        }
        const compiler = this as ResumableCompiler;
        const flow = compiler.currentPipeline;
        const depth = path.length;
        try {
          return original.apply(this, args);
        } catch (error) {
          survived.push(crashNow(error));
          path.length = depth;
          compiler.currentPipeline = flow;
          compiler.currentType = contextualType;
          return compiler.module.unreachable();
        }
      };
    });
    patches.wrap(internals.Compiler.prototype, "compile", (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        const result = original.apply(this, args);
        // Reports an error so that the compiler emits no output without the lost expressions.
        const { error } = this as ResumableCompiler;
        if (survived.length > 0) error.call(this, NOT_IMPLEMENTED, null, MISSING_EXPRESSION);
        return result;
      };
    });
  };

  indexSignatures(internals, patches);
  follow(internals.Compiler.prototype, COMPILING);
  surviving();
  follow(internals.Resolver.prototype, RESOLVING);
  // Comes before the other wrappers, so that types are recorded even if an error stops them.
  const types = watchTypes(internals, expressions, patches);
  catching(internals.Compiler.prototype, "compile");
  catching(internals.Program.prototype, "initialize");
  patches.wrap(internals.DiagnosticEmitter.prototype, "emitDiagnostic", (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const [code, , range] = args as [number, number, SourceRange | null];
      const at = innermost();
      program ??= (this as { readonly program?: CompiledProgram }).program;
      if (range && at && !blamed.has(key(code, range))) blamed.set(key(code, range), at);
      return original.apply(this, args);
    };
  });

  return {
    get crash() {
      return crash;
    },
    survived,
    blame: ({ code, range }) => (range ? blamed.get(key(code, range)) : undefined),
    membersOf: (className) => {
      const members = new Set<string>();
      let element = program?.elementsByName.get(className);
      for (; element; element = element.basePrototype ?? undefined) {
        for (const name of element.instanceMembers?.keys() ?? []) members.add(name);
      }
      return [...members].filter((name) => /^[a-zA-Z]\w*$/.test(name) && name !== "constructor").sort();
    },
    types,
    restore: () => patches.restore(),
  };
}

function placeKey(file: string, start: number, end: number): string {
  return `${file} ${start} ${end}`;
}

function key(code: number, range: SourceRange): string {
  return `${code} ${range.start} ${range.source.normalizedPath}`;
}

/** The name in the declaration of a program element; underlining the whole declaration would be too much. */
function nameNode(element: { readonly declaration?: SyntaxNode & { readonly name?: SyntaxNode } }) {
  return element.declaration?.name ?? element.declaration;
}
