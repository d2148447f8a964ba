import { Composer, type Document, Lexer, Parser } from "yaml";
import type { Report } from "../diagnostics/report.js";
import type { Location, Source } from "../source/source.js";
import { maxDepth, tooDeep } from "./limits.js";
import { reportYamlFault } from "./yaml-syntax.js";

/** The lexer's mark before a scalar. */
const scalarMark = "\x1f";

/**
 * Parses a YAML text with a single document. Rejects features that a configuration does not need (tags, directives,
 * several documents) and dangerous ones (deep nesting).
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
        `the tag ${JSON.stringify(lexeme)} is not supported`,
        {
          label: "values cannot have tags",
          hint: lexeme === "!!str" ? "remove it and put the value in quotes" : "remove it",
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
          label: "configurations are always YAML 1.2",
          hint: 'remove this line and the "---" below it',
        },
      );
      return undefined;
    }
    // The document and the current scalar each take one place on the parser's stack.
    if (parser.stack.length > maxDepth + 2) {
      report.error("too-deep", span(start, start + 1), ...tooDeep);
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
  // Our own reader reports duplicate keys with both locations, and handles merge keys.
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
    reportYamlFault(source, documents, fault, report);
    return undefined;
  }
  const second = documents[1];
  if (second) {
    const start = second.range[0];
    const end = start + (source.text.startsWith("---", start) ? 3 : 0);
    report.error(
      "yaml-documents",
      { source, pointer: "", start, end },
      "a configuration is one YAML document",
      {
        label: "a second document begins here",
        hint: "move it to a separate file",
      },
    );
    return undefined;
  }
  return documents[0] as Document.Parsed;
}
