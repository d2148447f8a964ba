import type { DiagramEdge } from "./diagram.js";
import type { Box, MapLayout } from "./layout.js";
import { curve, leftOf, type Point, pointOn, rightOf, round } from "./svg-shapes.js";
import { escaped } from "./svg-text.js";

/** The lines of a drawing. */
export function drawEdges(edges: readonly DiagramEdge[], { boxes }: MapLayout): readonly string[] {
  return edges.flatMap((edge) => {
    const ends = endsOf(edge, boxes);
    if (!ends) return [];
    const isCreation = edge.kind === "creates";
    const kind = isCreation ? "edge creates" : "edge";
    const head = isCreation ? ' marker-end="url(#graphloom-map-head)"' : "";
    return [`<path class="${kind}"${namedEnds(edge)}${head} d="${curve(...ends)}"/>`];
  });
}

/** Parts of the way at which a figure may be written, the middle first. */
const partsOfWay = Array.from(
  { length: 17 },
  (_, index) => 0.5 + (index % 2 ? 0.04 : -0.04) * Math.ceil(index / 2),
);
const figureHeight = 14;
const figureCharacter = 6.6;

/** The figures on the lines of a drawing, each where it covers the least of others. */
export function drawFigures(
  edges: readonly DiagramEdge[],
  { boxes }: MapLayout,
  figureOf: (from: string, to: string) => string | undefined,
): readonly string[] {
  const taken: Box[] = [];
  return edges.flatMap((edge) => {
    const figure = figureOf(edge.from, edge.to);
    const ends = figure === undefined ? undefined : endsOf(edge, boxes);
    if (figure === undefined || !ends) return [];
    const width = figure.length * figureCharacter;
    const places = partsOfWay.map((part) => around(pointOn(...ends, part), width));
    const covered = places.map((one) => taken.reduce((sum, other) => sum + overlap(one, other), 0));
    const place = places[covered.indexOf(Math.min(...covered))];
    if (!place) return [];
    taken.push(place);
    const [x, y] = [place.x + width / 2, place.y + figureHeight - 3];
    return [
      `<text class="figure"${namedEnds(edge)} x="${round(x)}" y="${round(y)}">${escaped(figure)}</text>`,
    ];
  });
}

function around([x, y]: Point, width: number): Box {
  return { x: x - width / 2, y: y - figureHeight / 2, width, height: figureHeight };
}

/** The area that two boxes share. */
function overlap(one: Box, other: Box): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return Math.max(0, width) * Math.max(0, height);
}

/** The start and the end of a line, or nothing if one of its boxes is not placed. */
function endsOf(
  { kind, from, to }: DiagramEdge,
  boxes: ReadonlyMap<string, Box>,
): readonly [Point, Point] | undefined {
  const [start, end] = [boxes.get(from), boxes.get(to)];
  if (!start || !end) return undefined;
  // A creation ends above the middle, where the line to the template's handlers begins.
  if (kind === "creates") return [leftOf(start), [end.x + end.width, end.y + end.height / 4]];
  return [rightOf(start), leftOf(end)];
}

function namedEnds({ from, to }: DiagramEdge): string {
  return ` data-from="${escaped(from)}" data-to="${escaped(to)}"`;
}
