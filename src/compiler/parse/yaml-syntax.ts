import { type Document, type EmptyStream, type Scalar, visit, type YAMLError } from "yaml";
import type { Report } from "../diagnostics/report.js";
import type { Location, Source } from "../source/source.js";

interface Fact {
  readonly message: string;
  /** Why this location is wrong. */
  readonly label?: string;
  readonly hint?: string;
}

const facts: Readonly<Record<string, Fact>> = {
  TAB_AS_INDENT: {
    message: "a line is indented with a tab",
    label: "begins with a tab",
    hint: "indent with spaces: YAML does not allow tabs",
  },
  BAD_INDENT: {
    message: "a line is not indented like the lines around it",
    label: "the others start in a different column",
    hint: "give the entries of one object the same indentation",
  },
  MISSING_CHAR: { message: "a closing character or a separator is missing", label: "it is missing here" },
  BAD_DQ_ESCAPE: {
    message: "a backslash precedes a character that cannot be escaped",
    label: "a backslash starts an escape",
    hint: 'write a literal backslash as "\\\\"',
  },
  BAD_SCALAR_START: {
    message: "text begins with a character that has a special meaning in YAML",
    label: "text cannot begin with this",
    hint: "put the text in quotes",
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: "an object begins on the line of its key",
    label: "a colon and a space make this a key",
    hint: "put text that contains a colon in quotes",
  },
  MULTILINE_IMPLICIT_KEY: {
    message: "a key spans several lines",
    label: "this is read as a key",
    hint: "write the key on one line, followed by a colon",
  },
  KEY_OVER_1024_CHARS: { message: "a key is longer than 1024 characters", label: "too long" },
  MULTIPLE_ANCHORS: { message: "a value has two anchors", label: "the second one", hint: "remove it" },
  BAD_ALIAS: { message: "an alias is malformed", hint: "write * and the name of an anchor" },
};

/** Reports a YAML syntax error in our words, with the parser's message as a note. */
export function reportYamlFault(
  source: Source,
  documents: readonly Document.Parsed[] | EmptyStream,
  fault: YAMLError,
  report: Report,
): void {
  const place = (start: number, end: number): Location => ({ source, pointer: "", start, end });
  const notes = [`yaml: ${fault.message}`];
  const [start, end] = fault.pos;
  const length = source.text.trimEnd().length;
  if (start < length) {
    const { message, ...details } = facts[fault.code] ?? { message: "this is not valid YAML" };
    const at = place(start, Math.min(Math.max(start, end), length));
    report.error("syntax-error", at, message, { ...details, notes });
    return;
  }
  const string = /quote/.test(fault.message) ? lastQuoted(documents) : undefined;
  if (string?.range) {
    const quote = string.type === "QUOTE_SINGLE" ? "single" : "double";
    const details = { label: "opened here", notes, hint: `close it with a ${quote} quote` };
    report.error(
      "unexpected-end",
      place(string.range[0], length),
      "the text ends inside this string",
      details,
    );
    return;
  }
  report.error("unexpected-end", place(length, length), "the text ends too early", {
    label: "something is still open here",
    notes,
    hint: "close what is open",
  });
}

/** The last quoted string of a text, if any. */
function lastQuoted(documents: readonly Document.Parsed[] | EmptyStream): Scalar | undefined {
  let found: Scalar | undefined;
  const document = documents.at(-1);
  if (document) {
    visit(document, {
      Scalar(_, node) {
        if (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE") found = node;
      },
    });
  }
  return found;
}
