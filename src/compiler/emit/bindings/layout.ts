/**
 * A document that can be laid out on one line or several. The model is prettier's, because generated bindings must
 * look as if formatted by prettier.
 */
export type Doc =
  | string
  | readonly Doc[]
  | { readonly kind: "line"; readonly flat: string }
  | { readonly kind: "indent"; readonly content: Doc }
  | { readonly kind: "group"; readonly choices: readonly [Doc, ...Doc[]]; readonly broken: boolean }
  | { readonly kind: "ifBroken"; readonly content: Doc }
  | { readonly kind: "styled"; readonly current: Doc; readonly older: Doc };

/** The version of prettier whose layout a document gets: 3 or 1. */
export type Style = "current" | "older";

/** A line break, or no text if its group stays on one line. */
export const softline: Doc = { kind: "line", flat: "" };

/** A line break, or a space if its group stays on one line. */
export const line: Doc = { kind: "line", flat: " " };

/** Indents the line breaks of the content by two columns. */
export function indent(content: Doc): Doc {
  return { kind: "indent", content };
}

/** Content on one line if it fits, otherwise with all its line breaks. */
export function group(content: Doc): Doc {
  return { kind: "group", choices: [content], broken: false };
}

/** A group that always keeps its line breaks. */
export function brokenGroup(content: Doc): Doc {
  return { kind: "group", choices: [content], broken: true };
}

/** The first layout that fits up to its first line break; otherwise the last one, with all its line breaks. */
export function firstFitting(...choices: readonly [Doc, ...Doc[]]): Doc {
  return { kind: "group", choices, broken: false };
}

/** Content that is printed only if its group keeps its line breaks. */
export function ifBroken(content: Doc): Doc {
  return { kind: "ifBroken", content };
}

/** Content that depends on the style. */
export function styled(choices: { readonly current: Doc; readonly older: Doc }): Doc {
  return { kind: "styled", ...choices };
}

/** Documents with a separator between them. */
export function join(separator: Doc, docs: readonly Doc[]): Doc {
  return docs.flatMap((doc, at) => (at === 0 ? [doc] : [separator, doc]));
}

const width = 80;

interface Task {
  readonly doc: Doc;
  readonly margin: number;
  readonly broken: boolean;
}

/**
 * Lays out a document within 80 columns.
 * @param margin the indentation of every line
 * @param style selects the choices of `styled`
 */
export function layout(doc: Doc, margin: number, style: Style = "current"): string {
  let text = " ".repeat(margin);
  let column = margin;
  const tasks: Task[] = [{ doc, margin, broken: true }];
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    if (typeof task.doc === "string") {
      text += task.doc;
      column += task.doc.length;
    } else if (isLine(task.doc) && task.broken) {
      text += `\n${" ".repeat(task.margin)}`;
      column = task.margin;
    } else if (isGroup(task.doc) && task.broken) {
      tasks.push(choose(task.doc, task.margin, tasks, width - column, style));
    } else {
      tasks.push(...parts(task, style));
    }
  }
  return text;
}

type Line = Extract<Doc, { kind: "line" }>;
type Group = Extract<Doc, { kind: "group" }>;

function isLine(doc: Doc): doc is Line {
  return typeof doc !== "string" && "kind" in doc && doc.kind === "line";
}

function isGroup(doc: Doc): doc is Group {
  return typeof doc !== "string" && "kind" in doc && doc.kind === "group";
}

function choose(doc: Group, margin: number, rest: readonly Task[], room: number, style: Style): Task {
  const [first, ...others] = doc.choices;
  const asOneLine = { doc: first, margin, broken: false };
  if (!doc.broken && fits(asOneLine, rest, room, style)) return asOneLine;
  for (const other of others) {
    const task = { doc: other, margin, broken: false };
    if (fits(task, rest, room, style)) return task;
  }
  return { doc: others.at(-1) ?? first, margin, broken: true };
}

/** Whether the text up to the next line break fits, including the text after the document. */
function fits(first: Task, rest: readonly Task[], room: number, style: Style): boolean {
  const tasks = [first];
  let left = room;
  for (let next = rest.length; left >= 0; ) {
    const task = tasks.pop() ?? rest[--next];
    if (!task) return true;
    if (typeof task.doc === "string") left -= task.doc.length;
    else if (isLine(task.doc) && task.broken) return true;
    else tasks.push(...parts(task, style));
  }
  return false;
}

/** The parts of a task in reverse, because the last is taken first. */
function parts({ doc, margin, broken }: Task, style: Style): Task[] {
  if (typeof doc === "string") return [];
  if (!("kind" in doc)) return doc.map((part) => ({ doc: part, margin, broken })).reverse();
  switch (doc.kind) {
    case "line":
      return [{ doc: doc.flat, margin, broken }];
    case "indent":
      return [{ doc: doc.content, margin: margin + 2, broken }];
    case "ifBroken":
      return broken ? [{ doc: doc.content, margin, broken }] : [];
    case "styled":
      return [{ doc: doc[style], margin, broken }];
    case "group": {
      const spread = broken || doc.broken;
      const content = spread ? (doc.choices.at(-1) ?? doc.choices[0]) : doc.choices[0];
      return [{ doc: content, margin, broken: spread }];
    }
  }
}
