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

/** A cubic curve: its start, its two control points, and its end. */
export type Curve = readonly [Point, Point, Point, Point];

/** A curve that leaves and arrives horizontally. */
export function curveBetween([x, y]: Point, [toX, toY]: Point): Curve {
  const half = (x + toX) / 2;
  return [
    [x, y],
    [half, y],
    [half, toY],
    [toX, toY],
  ];
}

/** A curve as the data of a path. */
export function pathOf([start, ...rest]: Curve): string {
  return `M${pair(start)}C${rest.map(pair).join(" ")}`;
}

function pair([x, y]: Point): string {
  return `${round(x)} ${round(y)}`;
}

/** A point on a curve. @param part of the way: 0 at its start, 1 at its end */
export function pointOn([start, first, second, end]: Curve, part: number): Point {
  const left = 1 - part;
  const at = (axis: 0 | 1): number =>
    left ** 3 * start[axis] +
    3 * left ** 2 * part * first[axis] +
    3 * left * part ** 2 * second[axis] +
    part ** 3 * end[axis];
  return [at(0), at(1)];
}

/**
 * A wrapped text.
 * @param kind its class
 * @param y the first line's baseline
 * @param line line height
 */
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

/** Rounds to a few digits, so that the bytes do not depend on the order of additions. */
export function round(length: number): string {
  return String(Math.round(length * 10) / 10);
}
