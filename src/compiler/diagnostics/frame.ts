import { groupBy } from "../../base/group-by.js";
import { visible } from "../../base/text/visible.js";
import { type Location, positionAt } from "../source/source.js";
import type { Diagnostic, RelatedPlace } from "./diagnostic.js";
import { type Excerpt, excerptOf } from "./excerpt.js";
import type { Paint, TextRole } from "./paint.js";

/** An underlined location. */
interface Mark {
  readonly at: Location;
  readonly excerpt: Excerpt;
  readonly role: TextRole;
  readonly sign: string;
  readonly text: string;
}

/**
 * Formats a diagnostic as lines: message, location, the source line with the location underlined, related
 * locations, then notes and the hint. The frame is ASCII; `paint` only decorates it.
 */
export function frame(diagnostic: Diagnostic, paint: Paint): string[] {
  const { at, severity, code, message, label = "", related, notes, hint } = diagnostic;
  const marks = [...(at ? [markOf(at, severity, "^", label)] : []), ...related.map(relatedMark)];
  const gutter = Math.max(1, ...marks.map(({ excerpt }) => String(excerpt.line).length));
  const blank = " ".repeat(gutter);
  const fact = (label: string, text: string): string[] => {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
    const head = `${blank} = ${label}: `;
    return lines.map((line, index) =>
      index === 0
        ? `${blank} ${paint("frame", "=")} ${label}: ${visible(line)}`
        : `${" ".repeat(head.length)}${visible(line)}`,
    );
  };
  return [
    `${paint(severity, `${severity}[${code}]`)}${paint("message", `: ${visible(message)}`)}`,
    ...bySource(marks).flatMap((group, index) => [
      `${blank}${paint("frame", index === 0 && at ? "-->" : ":::")} ${placeText((group[0] as Mark).at)}`,
      ...(index === 0 ? [`${blank} ${paint("frame", "|")}`] : []),
      ...sourceLines(group, gutter, paint),
    ]),
    ...notes.flatMap((note) => fact("note", note)),
    ...(hint === undefined ? [] : fact("hint", hint)),
  ];
}

/** Formats a diagnostic in one line: message and location. */
export function oneLine({ at, severity, code, message, notes }: Diagnostic, paint: Paint): string {
  const fact = visible([message, ...notes].join(": "));
  const place = at ? ` ${paint("frame", "-->")} ${lineText(at)}` : "";
  return `${paint(severity, `${severity}[${code}]`)}${paint("message", `: ${fact}`)}${place}`;
}

function markOf(at: Location, role: TextRole, sign: string, text: string): Mark {
  return { at, excerpt: excerptOf(at), role, sign, text };
}

function relatedMark({ at, text }: RelatedPlace): Mark {
  return markOf(at, "related", "-", text);
}

/** Groups marks by file, the diagnostic's own file first. */
function bySource(marks: readonly Mark[]): readonly (readonly Mark[])[] {
  return [...groupBy(marks, ({ at }) => at.source.path).values()];
}

function placeText(at: Location): string {
  return `${lineText(at)}${at.pointer === "" ? "" : `  ${visible(at.pointer)}`}`;
}

function lineText({ source, start }: Location): string {
  const { line, column } = positionAt(source, start);
  return `${visible(source.path)}:${line}:${column}`;
}

/** The source lines with marks, in order. A line appears only once, unless its marks show different parts. */
function sourceLines(marks: readonly Mark[], gutter: number, paint: Paint): string[] {
  const lines: string[] = [];
  let shown: Excerpt | undefined;
  for (const { excerpt, role, sign, text } of marks.toSorted((a, b) => a.at.start - b.at.start)) {
    if (shown?.line !== excerpt.line || shown.text !== excerpt.text) {
      const number = String(excerpt.line).padStart(gutter);
      lines.push(`${paint("frame", `${number} |`)} ${excerpt.text}`.trimEnd());
    }
    shown = excerpt;
    const underline = `${sign.repeat(excerpt.width)}${text === "" ? "" : ` ${visible(text)}`}`;
    lines.push(
      `${" ".repeat(gutter)} ${paint("frame", "|")} ${" ".repeat(excerpt.indent)}${paint(role, underline)}`,
    );
  }
  return lines;
}
