import { Composer, type Document, Lexer, Parser, type YAMLError } from "yaml";
import type { Report } from "../diagnostics/report.js";
import { maxDepth } from "./limits.js";
import type { Location, Source } from "./source.js";

/** What precedes a scalar among the lexer's tokens. */
const scalarMark = "\x1f";

/**
 * The one document of a YAML text. What the configuration has no use for (tags, directives, several documents)
 * and what could hurt (deep nesting) is refused here.
 */
export function composeYaml(source: Source, report: Report): Document.Parsed | undefined {
  const span = (start: number, end: number): Location => ({ source, pointer: "", start, end });
  const parser = new Parser();
  const tokens = [];
  let afterMark = false;
  for (const lexeme of new Lexer().lex(source.text)) {
    const start = parser.offset;
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (!afterMark && lexeme.startsWith("!")) {
      report.error(
        "yaml-tag",
        span(start, start + lexeme.length),
        `the tag ${JSON.stringify(lexeme)} has no meaning here`,
        {
          hint: "remove it; text that looks like a number goes in quotes",
        },
      );
      return undefined;
    }
    if (!afterMark && lexeme.startsWith("%")) {
      report.error(
        "yaml-directive",
        span(start, start + lexeme.length),
        "YAML directives are not supported",
        {
          hint: 'remove this line and the "---" below it',
        },
      );
      return undefined;
    }
    // The document and a scalar being read take a place on the parser's stack each.
    if (parser.stack.length > maxDepth + 2) {
      report.error("too-deep", span(start, start + 1), `values nest deeper than ${maxDepth} levels`);
      return undefined;
    }
    afterMark = lexeme === scalarMark;
  }
  for (const token of parser.end()) tokens.push(token);
  return onlyDocument(source, tokens, report);
}

function onlyDocument(
  source: Source,
  tokens: Parameters<Composer["compose"]>[0],
  report: Report,
): Document.Parsed | undefined {
  // Keys are compared by our own reader, which shows both places; merge keys are its business too.
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    uniqueKeys: false,
    merge: false,
    keepSourceTokens: true,
  });
  const documents = [...composer.compose(tokens, true, source.text.length)];
  const fault = documents.flatMap((document) => document.errors)[0];
  if (fault) {
    reportFault(source, fault, report);
    return undefined;
  }
  const second = documents[1];
  if (second) {
    const start = second.range[0];
    report.error(
      "yaml-documents",
      { source, pointer: "", start, end: start },
      "a configuration is one YAML document",
      {
        hint: 'remove the "---" and what follows it',
      },
    );
    return undefined;
  }
  return documents[0] as Document.Parsed;
}

/** The parser's words are good but not ours: they become a note, under the fact in our words where we know it. */
const facts: Readonly<Record<string, readonly [string, string?]>> = {
  TAB_AS_INDENT: ["a line is indented with a tab", "indent with spaces: YAML knows no other way"],
  BAD_INDENT: [
    "a line is not indented like its neighbours",
    "give the entries of one object the same indentation",
  ],
  MISSING_CHAR: ["a closing character or a separator is missing"],
  BAD_DQ_ESCAPE: [
    "a backslash stands before a character it has no meaning for",
    'write a backslash itself as "\\\\"',
  ],
  BAD_SCALAR_START: ["text begins with a character that has a meaning in YAML", "put the text in quotes"],
  MULTILINE_IMPLICIT_KEY: [
    "a key spreads over several lines",
    "write the key on one line, followed by a colon",
  ],
  KEY_OVER_1024_CHARS: ["a key is longer than 1024 characters"],
  MULTIPLE_ANCHORS: ["a value has two anchors"],
  BAD_ALIAS: ["an alias is not written like one"],
};

function reportFault(source: Source, fault: YAMLError, report: Report): void {
  const [start, end] = fault.pos;
  const length = source.text.length;
  const isCut = start >= length;
  const known = facts[fault.code] ?? ["this cannot be read as YAML"];
  const [message, hint] = isCut ? ["the text ends too early", "close what is open"] : known;
  const at = {
    source,
    pointer: "",
    start: Math.min(start, length),
    end: Math.min(Math.max(start, end), length),
  };
  const code = isCut ? "unexpected-end" : "syntax-error";
  report.error(code, at, message, { notes: [`yaml: ${fault.message}`], hint });
}
