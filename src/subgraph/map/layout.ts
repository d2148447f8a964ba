import { groupBy } from "../../base/group-by.js";
import type { Diagram, DiagramEdge, DiagramGroup, EntityBox } from "./diagram.js";
import {
  type MeasuredContract,
  type MeasuredEntity,
  type MeasuredHandler,
  measureContract,
  measureEntity,
  measureHandler,
  type Size,
  sizes,
} from "./measure.js";

/** The height beyond which a drawing is split into several columns of groups. */
export const highest = 3_000;

/** A rectangle, given by its upper left corner. */
export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

export type PlacedContract = MeasuredContract & Box;
export type PlacedHandler = MeasuredHandler & Box;
export type PlacedEntity = MeasuredEntity & Box;

export interface PlacedGroup {
  readonly key: string;
  readonly contracts: readonly PlacedContract[];
  readonly panel: Box;
  readonly handlers: readonly PlacedHandler[];
}

export interface MapLayout {
  readonly width: number;
  readonly height: number;
  /** The headings of columns, with their left edges. */
  readonly headings: readonly { readonly text: string; readonly x: number }[];
  readonly groups: readonly PlacedGroup[];
  readonly entities: readonly PlacedEntity[];
  /** The boxes by key, including panels. */
  readonly boxes: ReadonlyMap<string, Box>;
}

/** Which additions need room: figures on lines, notes beside entities. */
export interface Rooms {
  readonly figures?: boolean;
  readonly notes?: boolean;
}

/**
 * Places everything: contracts on the left, handlers in the middle, and entities on the right, near the handlers that
 * store them. A drawing that would be very high is split into several such columns, side by side.
 * @param rooms the additions that need room
 */
export function layOutMap(diagram: Diagram, { figures = false, notes = false }: Rooms = {}): MapLayout {
  const { entities, edges } = diagram;
  const measured = diagram.groups.map(measureGroup);
  const columnGap = figures ? sizes.figuresGap : sizes.columnGap;
  const references = edges.some(({ kind }) => kind === "refers") ? sizes.references : 0;
  const beside = Math.max(references, notes ? sizes.note : 0);
  const place = (groups: readonly MeasuredGroup[], own: readonly MeasuredEntity[], left: number) =>
    placePart(groups, own, edges, left, columnGap, beside);
  const all = entities.map(measureEntity);
  const whole = place(measured, all, sizes.margin);
  if (whole.height <= highest || measured.length < 2) return whole;
  const columns = columnsOf(measured, all, edges, columnCount(whole));
  const placed: MapLayout[] = [];
  let left: number = sizes.margin;
  for (const { groups, entities: own } of columns) {
    const column = place(groups, own, left);
    placed.push(column);
    left = column.width - sizes.margin + sizes.partGap;
  }
  return {
    width: left + sizes.margin - sizes.partGap,
    height: Math.max(...placed.map(({ height }) => height)),
    headings: placed.flatMap(({ headings }) => headings),
    groups: placed.flatMap(({ groups }) => groups),
    entities: placed.flatMap((column) => column.entities),
    boxes: new Map(placed.flatMap(({ boxes }) => [...boxes])),
  };
}

/** How many columns to draw: none should be very high, but the whole should not be wider than high. */
function columnCount({ width, height }: MapLayout): number {
  return Math.max(2, Math.ceil(Math.min(height / highest, Math.sqrt(height / width))));
}

/** The middle of a side of a box. */
export function middle({ y, height }: Box): number {
  return y + height / 2;
}

interface MeasuredGroup {
  readonly key: string;
  readonly contracts: readonly MeasuredContract[];
  readonly handlers: readonly MeasuredHandler[];
}

function measureGroup({ key, contracts, handlers }: DiagramGroup): MeasuredGroup {
  return { key, contracts: contracts.map(measureContract), handlers: handlers.map(measureHandler) };
}

interface Column {
  readonly groups: readonly MeasuredGroup[];
  readonly entities: readonly MeasuredEntity[];
}

/** Splits groups into columns of about the same height, each including the entities that it is the first to store. */
function columnsOf(
  groups: readonly MeasuredGroup[],
  entities: readonly MeasuredEntity[],
  edges: readonly DiagramEdge[],
  count: number,
): readonly Column[] {
  const homes = homesOf(groups, edges);
  const heights = blockHeights(groups, entities, homes);
  const total = heights.reduce((sum, height) => sum + height, 0);
  let before = 0;
  const columns = heights.map((height) => {
    const middleOfBlock = before + height / 2;
    before += height;
    return Math.max(0, Math.ceil((middleOfBlock * count) / total) - 1);
  });
  const columnOf = ({ entity }: MeasuredEntity): number | undefined =>
    columns[homes.get(entity.key) ?? groups.length - 1];
  return [...new Set(columns)].map((column) => ({
    groups: groups.filter((_, index) => columns[index] === column),
    entities: entities.filter((one) => columnOf(one) === column),
  }));
}

/** The index of the first group that stores each entity, by key. */
function homesOf(
  groups: readonly MeasuredGroup[],
  edges: readonly DiagramEdge[],
): ReadonlyMap<string, number> {
  const storing = groupBy(
    edges.filter(({ kind }) => kind === "stores"),
    ({ from }) => from,
  );
  const homes = new Map<string, number>();
  for (const [index, { key, contracts, handlers }] of groups.entries()) {
    const boxes = [...contracts.map(({ contract }) => contract), ...handlers.map(({ handler }) => handler)];
    for (const from of [key, ...boxes.map((box) => box.key)])
      for (const { to } of storing.get(from) ?? []) if (!homes.has(to)) homes.set(to, index);
  }
  return homes;
}

/** The height of each group, including the entities that it is the first to store. */
function blockHeights(
  groups: readonly MeasuredGroup[],
  entities: readonly MeasuredEntity[],
  homes: ReadonlyMap<string, number>,
): readonly number[] {
  const byHome = groupBy(entities, ({ entity }) => homes.get(entity.key));
  return groups.map((group, index) => {
    const stored = heightOf(byHome.get(index) ?? [], sizes.rowGap) + sizes.rowGap;
    return Math.max(heightOfGroup(group) + sizes.groupGap, stored);
  });
}

/**
 * Places groups and entities from a left edge.
 * @param beside width of the space to the right of entities
 */
function placePart(
  groups: readonly MeasuredGroup[],
  entities: readonly MeasuredEntity[],
  edges: readonly DiagramEdge[],
  left: number,
  columnGap: number,
  beside: number,
): MapLayout {
  const contractWidth = widest(groups.flatMap(({ contracts }) => contracts));
  const handlerWidth = widest(groups.flatMap(({ handlers }) => handlers));
  const columns = [
    left,
    left + contractWidth + columnGap,
    left + contractWidth + handlerWidth + 2 * columnGap,
  ] as const;
  const blocks = blockHeights(groups, entities, homesOf(groups, edges));
  let top = sizes.margin + sizes.heading;
  const placed = groups.map((group, index): PlacedGroup => {
    const [ofContracts, ofHandlers] = [heightOf(group.contracts, sizes.rowGap), heightOf(group.handlers, 0)];
    const block = blocks[index] ?? 0;
    const center = top + (block - sizes.groupGap) / 2;
    const [contractsTop, panelTop] = [center - ofContracts / 2, center - ofHandlers / 2];
    top += block;
    return {
      key: group.key,
      contracts: stack(group.contracts, columns[0], contractsTop, contractWidth, sizes.rowGap),
      panel: { x: columns[1], y: panelTop, width: handlerWidth, height: ofHandlers },
      handlers: stack(group.handlers, columns[1], panelTop, handlerWidth, 0),
    };
  });
  const sources = new Map<string, Box>(
    placed.flatMap(({ key, contracts, panel, handlers }) => [
      [key, panel] as const,
      ...contracts.map((one) => [one.contract.key, one] as const),
      ...handlers.map((one) => [one.handler.key, one] as const),
    ]),
  );
  const stored = groupBy(
    edges.filter(({ kind }) => kind === "stores"),
    ({ to }) => to,
  );
  const placedEntities = placeEntities(
    entities,
    ({ key }) => (stored.get(key) ?? []).flatMap(({ from }) => sources.get(from) ?? []).map(middle),
    columns[2],
  );
  const bottom = Math.max(
    top - sizes.groupGap,
    ...placedEntities.map(({ y, height }) => y + height),
    sizes.margin + sizes.heading,
  );
  return {
    width: Math.ceil(columns[2] + widest(placedEntities) + beside + sizes.margin),
    height: Math.ceil(bottom + sizes.margin),
    headings: ["Contracts", "Events and calls", "Entities"].map((text, index) => ({
      text,
      x: columns[index] ?? left,
    })),
    groups: placed,
    entities: placedEntities,
    boxes: new Map([...sources, ...placedEntities.map((one) => [one.entity.key, one] as const)]),
  };
}

function widest(all: readonly Size[]): number {
  return all.reduce((most, { width }) => Math.max(most, width), 0);
}

function heightOf(all: readonly Size[], gap: number): number {
  return all.reduce((sum, { height }) => sum + height + gap, all.length === 0 ? 0 : -gap);
}

function heightOfGroup({ contracts, handlers }: MeasuredGroup): number {
  return Math.max(heightOf(contracts, sizes.rowGap), heightOf(handlers, 0));
}

function stack<T extends Size>(
  all: readonly T[],
  x: number,
  top: number,
  width: number,
  gap: number,
): readonly (T & Box)[] {
  let y = top;
  return all.map((one) => {
    const box = { ...one, x, y, width };
    y += one.height + gap;
    return box;
  });
}

/**
 * Places entities as close as possible to the average height of the handlers that store them, so that few lines
 * cross.
 * @param heightsOf the heights of the handlers that store an entity
 */
function placeEntities(
  entities: readonly MeasuredEntity[],
  heightsOf: (entity: EntityBox) => readonly number[],
  x: number,
): readonly PlacedEntity[] {
  const wanted = entities.map((one) => {
    const heights = heightsOf(one.entity);
    const average = heights.reduce((sum, height) => sum + height, 0) / heights.length;
    return { ...one, wanted: average - one.height / 2 };
  });
  const stored = wanted
    .filter((one) => Number.isFinite(one.wanted))
    .toSorted((one, other) => one.wanted - other.wanted);
  const others = wanted.filter((one) => !Number.isFinite(one.wanted));
  const width = widest(entities);
  const first = sizes.margin + sizes.heading;
  const tops = spread(stored, first);
  const placed = stored.map(({ wanted: _, ...one }, index) => ({
    ...one,
    x,
    y: tops[index] ?? first,
    width,
  }));
  const last = placed.at(-1);
  const free = last ? last.y + last.height + sizes.rowGap : first;
  return [
    ...placed,
    ...stack(
      others.map(({ wanted: _, ...one }) => one),
      x,
      free,
      width,
      sizes.rowGap,
    ),
  ];
}

/**
 * The tops of stacked boxes, with the least squares of their distances from their ideal positions.
 * @param boxes in the order of their ideal tops
 * @param first the minimum top of the first box
 */
function spread(boxes: readonly (Size & { readonly wanted: number })[], first: number): readonly number[] {
  // Each box has an ideal place relative to the boxes above it; neighbours in the wrong order share their average.
  let above = 0;
  const runs: { sum: number; offsets: number[] }[] = [];
  for (const { wanted, height } of boxes) {
    let run = { sum: wanted - above, offsets: [above] };
    above += height + sizes.rowGap;
    for (
      let before = runs.at(-1);
      before && before.sum / before.offsets.length >= run.sum / run.offsets.length;
      before = runs.at(-1)
    ) {
      runs.pop();
      run = { sum: before.sum + run.sum, offsets: [...before.offsets, ...run.offsets] };
    }
    runs.push(run);
  }
  return runs.flatMap(({ sum, offsets }) =>
    offsets.map((offset) => Math.max(first, sum / offsets.length) + offset),
  );
}
