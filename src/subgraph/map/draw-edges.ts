import type { DiagramEdge } from "./diagram.js";
import { type Box, type MapLayout, middle } from "./layout.js";
import { entryHeight, fieldMiddle, sizes } from "./measure.js";
import { type Curve, curveBetween, leftOf, pathOf, pointOn, rightOf, round } from "./svg-shapes.js";
import { escaped } from "./svg-text.js";

/** The lines of a drawing. */
export function drawEdges(edges: readonly DiagramEdge[], layout: MapLayout): readonly string[] {
  const curveOf = createCurves(layout);
  return edges.flatMap((edge) => {
    const curve = curveOf(edge);
    if (!curve) return [];
    const isPlain = edge.kind === "triggers" || edge.kind === "stores";
    const kind = isPlain ? "edge" : `edge ${edge.kind}`;
    const head = isPlain ? "" : ` marker-end="url(#graphloom-map-${edge.kind})"`;
    return [`<path class="${kind}"${namedEnds(edge)}${head} d="${pathOf(curve)}"/>`];
  });
}

/** Positions along a line at which its figure may go, the middle first. */
const partsOfWay = Array.from(
  { length: 17 },
  (_, index) => 0.5 + (index % 2 ? 0.04 : -0.04) * Math.ceil(index / 2),
);
const figureHeight = 14;
const figureCharacter = 6.6;

/** The figures on the lines of a drawing, each where it least covers others. */
export function drawFigures(
  edges: readonly DiagramEdge[],
  layout: MapLayout,
  figureOf: (from: string, to: string) => string | undefined,
): readonly string[] {
  const curveOf = createCurves(layout);
  const taken = createShelves();
  return edges.flatMap((edge) => {
    const figure = figureOf(edge.from, edge.to);
    const curve = figure === undefined ? undefined : curveOf(edge);
    if (figure === undefined || !curve) return [];
    const width = figure.length * figureCharacter;
    const places = partsOfWay.map((part) => around(pointOn(curve, part), width));
    const covered = places.map((one) => taken.near(one).reduce((sum, other) => sum + overlap(one, other), 0));
    const place = places[covered.indexOf(Math.min(...covered))];
    if (!place) return [];
    taken.add(place);
    const [x, y] = [place.x + width / 2, place.y + figureHeight - 3];
    return [
      `<text class="figure"${namedEnds(edge)} x="${round(x)}" y="${round(y)}">${escaped(figure)}</text>`,
    ];
  });
}

function around([x, y]: readonly [number, number], width: number): Box {
  return { x: x - width / 2, y: y - figureHeight / 2, width, height: figureHeight };
}

/** Figures by height, so that each is compared with the few that could overlap it. */
function createShelves(): { add(box: Box): void; near(box: Box): readonly Box[] } {
  const shelves = new Map<number, Box[]>();
  const shelfOf = ({ y }: Box): number => Math.floor(y / figureHeight);
  return {
    add(box) {
      const shelf = shelfOf(box);
      const boxes = shelves.get(shelf);
      if (boxes) boxes.push(box);
      else shelves.set(shelf, [box]);
    },
    near: (box) => [-1, 0, 1].flatMap((by) => shelves.get(shelfOf(box) + by) ?? []),
  };
}

/** The area that two boxes share. */
function overlap(one: Box, other: Box): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return Math.max(0, width) * Math.max(0, height);
}

/** The curves of lines in a layout; none for a line to a box that is not placed. */
function createCurves({ boxes, entities }: MapLayout): (edge: DiagramEdge) => Curve | undefined {
  const placed = new Map(entities.map((one) => [one.entity.key, one]));
  return ({ kind, from, to, field }) => {
    const [start, end] = [boxes.get(from), boxes.get(to)];
    if (!start || !end) return undefined;
    if (kind === "creates") {
      // Above the middle, where the line to the template's handlers begins.
      return curveBetween(leftOf(start), [end.x + end.width, end.y + end.height / 4]);
    }
    const [source, target] = [placed.get(from), placed.get(to)];
    const toY = target ? target.y + entryHeight(target) : middle(end);
    if (kind !== "refers") return curveBetween(rightOf(start), [end.x, toY]);
    const y = source && field !== undefined ? source.y + fieldMiddle(source, field) : middle(start);
    return referenceCurve(start, y, end, toY);
  };
}

/** A curve from a field to the name of an entity: in the same column, around its right side. */
function referenceCurve(start: Box, y: number, end: Box, toY: number): Curve {
  const right = start.x + start.width;
  if (end.x > right) return curveBetween([right, y], [end.x, toY]);
  if (end.x < start.x) return curveBetween([start.x, y], [end.x + end.width, toY]);
  const out = right + Math.min(sizes.references, 28 + Math.abs(toY - y) / 5);
  return [
    [right, y],
    [out, y],
    [out, toY],
    [right, toY],
  ];
}

function namedEnds({ from, to }: DiagramEdge): string {
  return ` data-from="${escaped(from)}" data-to="${escaped(to)}"`;
}
