import { type Methods, Patches } from "./asc-patches.js";

/** A source file, parsed: what the compiler's own parser makes of it. */
type ParsedSource = object;

/** Parser of the compiler, as far as its state is concerned: what it has parsed, and what that imports. */
interface ParserState {
  readonly sources: ParsedSource[];
  readonly diagnostics: object[];
  currentSource: ParsedSource | null;
  /** Paths of files that are still to be parsed, in order. */
  readonly backlog: string[];
  readonly seenlog: Set<string>;
  readonly donelog: Set<string>;
  /** Who asked for a file first. */
  readonly dependees: Map<string, object>;
}

/** What parses one file: its text, its path, and whether it is one the program begins with. */
type ParseFile = (text: string | null, path: string, isEntry: boolean) => void;

/** The compiler's parser. */
export interface ParserClass {
  readonly prototype: Methods;
  new (): ParserState & { parseFile: ParseFile };
}

/** A file that was parsed before anybody asked for it. */
interface Ahead {
  readonly text: string;
  readonly state: ParserState;
}

/**
 * Parses library files while the compiler has nothing to do, so that the next compilation finds them parsed: a third
 * of its time goes into that. What was parsed is used once, because compiling writes into it.
 */
export class ParsedAhead {
  readonly #parser: ParserClass;
  readonly #ahead = new Map<string, Ahead>();

  constructor(parser: ParserClass) {
    this.#parser = parser;
  }

  /**
   * Parses library files and what they import, a file for each step. What is parsed already is not parsed again, and
   * files with faults are left for the compilation to report.
   * @param read the text of a file by its path without its ending; nothing when there is none
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

  /** Has the next compilation take what was parsed. */
  offer(): Patches {
    const patches = new Patches();
    const ahead = this.#ahead;
    patches.wrap(this.#parser.prototype, "parseFile", (parseFile) => {
      return function (this: unknown, ...args: unknown[]) {
        const [text, path, isEntry] = args as Parameters<ParseFile>;
        const parsed = isEntry ? undefined : ahead.get(path);
        if (parsed?.text !== text) return parseFile.apply(this, args);
        ahead.delete(path);
        return adopt(this as ParserState, parsed);
      };
    });
    return patches;
  }
}

/** Brings a parser into the state that parsing this file itself would have left it in. */
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
    // Of what is imported twice the parser takes note only where it is exported again.
    if (state.seenlog.has(path)) parser.seenlog.add(path);
  }
}
