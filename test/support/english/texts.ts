/** A comment or a string of a source file. */
export interface SourceText {
  readonly kind: "comment" | "string";
  /** Where it begins; 1 is the first line. */
  readonly line: number;
  /** Without comment marks and line breaks; `…` stands for each placeholder of a template. */
  readonly text: string;
}

/** A slash after one of these begins a regular expression; after anything else it divides. */
const beforeRegex = /(?:^|[(,=:[!&|?{};+\-*%~<>^]|\b(?:return|case|typeof))\s*$/;

/** Comment marks at the beginning of a line and at the end of a block. */
const marks = /^[ \t]*(?:\/\*\*?|\*\/|\*(?!\/)|\/\/)|\*\/$/gm;

/**
 * The comments and strings of TypeScript code, in order.
 *
 * Line comments below one another count as one comment, so that a phrase across a line break is found. Code in a
 * placeholder of a template is read like any other code.
 */
export function textsIn(code: string): readonly SourceText[] {
  const texts: SourceText[] = [];
  /** For each open placeholder: how many braces it has open itself. */
  const placeholders: number[] = [];
  /** Where the last line comment ended, or -1. */
  let lineCommentEnd = -1;
  let line = 1;
  let at = 0;

  const moveTo = (end: number) => {
    line += code.slice(at, end).split("\n").length - 1;
    at = end;
  };
  const add = (kind: SourceText["kind"], end: number, raw: string) => {
    const text = raw.replace(/\s+/g, " ").trim();
    if (text) texts.push({ kind, line, text });
    moveTo(end);
  };
  const addLineComment = (end: number) => {
    const text = code.slice(at, end).replace(marks, "");
    const above = texts.at(-1);
    const gap = lineCommentEnd < 0 ? undefined : code.slice(lineCommentEnd, at);
    if (above && gap !== undefined && /^\n[ \t]*$/.test(gap)) {
      texts[texts.length - 1] = { ...above, text: `${above.text} ${text.trim()}`.trim() };
      moveTo(end);
    } else {
      add("comment", end, text);
    }
    lineCommentEnd = end;
  };
  /** Reads from a backtick, or from the brace that closes a placeholder, to the next backtick or placeholder. */
  const addTemplatePart = () => {
    const end = endOf(code, at + 1, /`|\$\{/y);
    const opens = code[end - 1] === "{";
    if (opens) placeholders.push(0);
    const text = code.slice(at + 1, end - (opens ? 2 : 1));
    const continues = code[at] === "}";
    add("string", end, `${continues ? "…" : ""}${text}${opens ? "…" : ""}`);
  };

  while (at < code.length) {
    const char = code[at] as string;
    const pair = code.slice(at, at + 2);
    if (pair === "//") {
      addLineComment(nextOrEnd(code, "\n", at));
    } else if (pair === "/*") {
      const end = Math.min(nextOrEnd(code, "*/", at + 2) + 2, code.length);
      add("comment", end, code.slice(at, end).replace(marks, ""));
    } else if (char === '"' || char === "'") {
      const end = endOf(code, at + 1, char === '"' ? /"/y : /'/y);
      add("string", end, code.slice(at + 1, end - 1));
    } else if (char === "`") {
      addTemplatePart();
    } else if (char === "/" && beforeRegex.test(code.slice(Math.max(0, at - 40), at))) {
      moveTo(endOfRegex(code, at + 1));
    } else {
      const open = placeholders.length - 1;
      if (char === "}" && placeholders[open] === 0) {
        placeholders.pop();
        addTemplatePart();
        continue;
      }
      if (open >= 0 && char === "{") placeholders[open] = (placeholders[open] as number) + 1;
      if (open >= 0 && char === "}") placeholders[open] = (placeholders[open] as number) - 1;
      moveTo(at + 1);
    }
  }
  return texts;
}

function nextOrEnd(code: string, mark: string, from: number): number {
  const index = code.indexOf(mark, from);
  return index < 0 ? code.length : index;
}

/** The place behind the first match of a sticky pattern that no backslash escapes. */
function endOf(code: string, from: number, mark: RegExp): number {
  let at = from;
  while (at < code.length) {
    if (code[at] === "\\") {
      at += 2;
      continue;
    }
    mark.lastIndex = at;
    if (mark.test(code)) return mark.lastIndex;
    at++;
  }
  return code.length;
}

function endOfRegex(code: string, from: number): number {
  let inClass = false;
  let at = from;
  for (; at < code.length && code[at] !== "\n"; at++) {
    const char = code[at];
    if (char === "\\") at++;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return at + 1;
  }
  return at;
}

/** The title of a test or of a group of tests. */
export interface TestTitle {
  /** 1 is the first line. */
  readonly line: number;
  readonly text: string;
  /** Whether it is the title of a test outside of groups. */
  readonly isWhole: boolean;
}

/** A call of `describe`, `it` or `test`, or of the function that their `each` returns, with a title and more arguments. */
const titled = /(?:\b(?:describe|it|test)(?:\.\w+)*|\))\(\s*(["'`])((?:\\.|(?!\1)[^\\\n])*)\1\s*,\s/g;

/** The titles in the code of a test file, in order. */
export function titlesIn(code: string): readonly TestTitle[] {
  return [...code.matchAll(titled)].map(({ 0: call, 2: text = "", index }) => {
    const before = code.slice(0, index);
    const isIndented = /^[ \t]/.test(before.slice(before.lastIndexOf("\n") + 1));
    // Statements outside of groups are not indented. The nearest one above has this title, or the group around it.
    const [statement = ""] = `${before}${call}`.match(/^(?:describe|it|test)\b/gm)?.slice(-1) ?? [];
    const line = before.split("\n").length + call.slice(0, call.indexOf(text)).split("\n").length - 1;
    return { line, text, isWhole: !isIndented && statement !== "describe" };
  });
}
