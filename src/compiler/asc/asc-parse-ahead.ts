import { type Methods, Patches } from "./asc-patches.js";

/** A source file parsed by the compiler's own parser. */
type ParsedSource = object;

/** The parser's state: the parsed files and their imports. */
interface ParserState {
  readonly sources: ParsedSource[];
  readonly diagnostics: object[];
  currentSource: ParsedSource | null;
  /** Paths of the files that are still to be parsed, in order. */
  readonly backlog: string[];
  readonly seenlog: Set<string>;
  readonly donelog: Set<string>;
  /** The first importer of each file. */
  readonly dependees: Map<string, object>;
}

/** Parses one file: its text, its path, and whether it is an entry file. */
type ParseFile = (text: string | null, path: string, isEntry: boolean) => void;

export interface ParserClass {
  readonly prototype: Methods;
  new (): ParserState & { parseFile: ParseFile };
}

interface Ahead {
  readonly text: string;
  readonly state: ParserState;
}

/** Where library files are; a project's packages may be in a folder above it. */
const LIBRARIES = /^(?:~lib|(?:\.\.\/)*node_modules)\//;

/**
 * Parses library files once for all compilations, while the compiler is idle. Parsing them takes half the time of a
 * small program's compilation. Compilation only reads parsed files. The one exception, `Function#call`, removes a
 * parsed argument, and no library uses it.
 */
export class ParsedAhead {
  readonly #parser: ParserClass;
  readonly #ahead = new Map<string, Ahead>();

  constructor(parser: ParserClass) {
    this.#parser = parser;
  }

  /**
   * Parses library files and their imports, one file per step. Skips files that are already parsed, and leaves errors
   * for the compilation to report.
   * @param read returns the text of a file by its path without extension; `undefined` if it does not exist
   */
  *parse(paths: readonly string[], read: (path: string) => string | undefined): Generator<void> {
    const wanted = [...paths];
    const seen = new Set<string>();
    for (let path = wanted.shift(); path !== undefined; path = wanted.shift()) {
      const text = seen.has(path) ? undefined : read(path);
      seen.add(path);
      if (text === undefined) continue;
      const file = `${path}.ts`;
      const known = this.#ahead.get(file);
      const state = known?.text === text ? known.state : this.#parseFile(file, text);
      wanted.push(...state.backlog);
      yield;
    }
  }

  #parseFile(path: string, text: string): ParserState {
    const parser = new this.#parser();
    parser.parseFile(text, path, false);
    if (parser.diagnostics.length === 0 && parser.sources.length === 1)
      this.#ahead.set(path, { text, state: parser });
    return parser;
  }

  /** Lets a compilation use the parsed files, and keeps the ones that it parses itself. */
  offer(): Patches {
    const patches = new Patches();
    let isOwn = false;
    const parsed = (text: string, path: string): Ahead | undefined => {
      const known = this.#ahead.get(path);
      if (known?.text === text) return known;
      isOwn = true;
      try {
        this.#parseFile(path, text);
      } finally {
        isOwn = false;
      }
      const made = this.#ahead.get(path);
      return made?.text === text ? made : undefined;
    };
    patches.wrap(this.#parser.prototype, "parseFile", (parseFile) => {
      return function (this: unknown, ...args: unknown[]) {
        const [text, path, isEntry] = args as Parameters<ParseFile>;
        const isLibrary = !isEntry && LIBRARIES.test(path);
        const known = isOwn || !isLibrary || text === null ? undefined : parsed(text, path);
        if (!known) return parseFile.apply(this, args);
        return adopt(this as ParserState, known);
      };
    });
    return patches;
  }
}

/** Updates a parser's state as if it had parsed the file. */
function adopt(parser: ParserState, { state }: Ahead): void {
  const [own] = state.donelog;
  if (own === undefined || parser.donelog.has(own)) return;
  parser.donelog.add(own);
  parser.seenlog.add(own);
  parser.sources.push(...state.sources);
  parser.currentSource = state.currentSource;
  for (const path of state.backlog) {
    if (parser.seenlog.has(path)) continue;
    parser.backlog.push(path);
    const dependee = state.dependees.get(path);
    if (dependee) parser.dependees.set(path, dependee);
    // The parser records repeated imports only if they are re-exported.
    if (state.seenlog.has(path)) parser.seenlog.add(path);
  }
}
