import { type Box, middle } from "./layout.js";
import { escaped, type WrappedText } from "./svg-text.js";

/** A point of a drawing, in pixels. */
export type Point = readonly [x: number, y: number];

/** The middle of the left side of a box. */
export function leftOf(box: Box): Point {
  return [box.x, middle(box)];
}

/** The middle of the right side of a box. */
export function rightOf(box: Box): Point {
  return [box.x + box.width, middle(box)];
}

/** A curve that leaves and arrives horizontally, as a path. */
export function curve([x, y]: Point, [toX, toY]: Point): string {
  const half = round((x + toX) / 2);
  return `M${round(x)} ${round(y)}C${half} ${round(y)} ${half} ${round(toY)} ${round(toX)} ${round(toY)}`;
}

/** A point on that curve. @param part of the way: 0 at its start, 1 at its end */
export function pointOn([x, y]: Point, [toX, toY]: Point, part: number): Point {
  const half = (x + toX) / 2;
  const left = 1 - part;
  return [
    left ** 3 * x + 3 * left * part * half + part ** 3 * toX,
    (left ** 3 + 3 * left ** 2 * part) * y + (3 * left * part ** 2 + part ** 3) * toY,
  ];
}

/** A wrapped text. @param kind its class @param y of the first line's base @param line height of a line */
export function texts(kind: string, { lines }: WrappedText, x: number, y: number, line: number): string {
  return textElement(kind, lines.map(escaped), x, y, line);
}

/** Like `texts`. @param lines escaped */
export function textElement(
  kind: string,
  lines: readonly string[],
  x: number,
  y: number,
  line: number,
): string {
  const spans = lines.map((text, index) =>
    index === 0 ? text : `<tspan x="${round(x)}" dy="${line}">${text}</tspan>`,
  );
  return `<text class="${kind}" x="${round(x)}" y="${round(y)}">${spans.join("")}</text>`;
}

/** A rectangle with round corners. @param kind its class */
export function rectangle(kind: string, { x, y, width, height }: Box): string {
  return `<rect class="${kind}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="6"/>`;
}

/** Rounds to few digits, so that the bytes do not depend on how numbers are added. */
export function round(length: number): string {
  return String(Math.round(length * 10) / 10);
}
