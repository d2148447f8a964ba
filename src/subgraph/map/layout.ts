import { groupBy } from "../../base/group-by.js";
import type { ContractBox, Diagram, EntityBox, HandlerBox } from "./diagram.js";
import { type WrappedText, wrapped } from "./svg-text.js";

/** Lengths in pixels at the drawing's natural size. */
export const sizes = {
  /** Width of a character in a name, and in small text, for a font whose characters are 0.6 em wide. */
  character: 7.8,
  smallCharacter: 6.6,
  line: 18,
  smallLine: 15,
  padding: 10,
  margin: 24,
  heading: 40,
  /** Width of the gaps between columns, where the lines are, and of those with figures on the lines. */
  columnGap: 120,
  figuresGap: 190,
  /** Width of the notes beside entity types. */
  note: 90,
  rowGap: 7,
  groupGap: 28,
} as const;

const longestName = 40;
const longestDetail = 44;
const longestTrigger = 46;
const mostLines = 4;

/** A rectangle, given by its upper left corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedContract extends Box {
  readonly contract: ContractBox;
  readonly name: WrappedText;
  readonly details: readonly WrappedText[];
}

export interface PlacedHandler extends Box {
  readonly handler: HandlerBox;
  readonly text: WrappedText;
}

export interface PlacedEntity extends Box {
  readonly entity: EntityBox;
  readonly name: WrappedText;
}

/** A placed group: its contracts, and the panel with its handlers. */
export interface PlacedGroup {
  /** Key of the panel. */
  readonly key: string;
  readonly contracts: readonly PlacedContract[];
  readonly panel: Box;
  readonly handlers: readonly PlacedHandler[];
}

export interface MapLayout {
  readonly width: number;
  readonly height: number;
  /** Left edges of the columns of contracts, handlers and entities. */
  readonly columns: readonly [number, number, number];
  readonly groups: readonly PlacedGroup[];
  readonly entities: readonly PlacedEntity[];
  /** The boxes by key, panels included. */
  readonly boxes: ReadonlyMap<string, Box>;
}

/** The prefix of a trigger that is not an event. */
export function prefixOf({ kind }: HandlerBox): string {
  return kind === "event" ? "" : `${kind} `;
}

/**
 * Places everything: contracts on the left, handlers in the middle, and entities on the right, near what
 * stores them.
 * @param columnGap width of the gaps between columns
 */
export function layOutMap(
  { groups, entities, edges }: Diagram,
  columnGap: number = sizes.columnGap,
): MapLayout {
  const measured = groups.map((group) => ({
    key: group.key,
    contracts: group.contracts.map(measureContract),
    handlers: group.handlers.map(measureHandler),
  }));
  const { margin } = sizes;
  const contractWidth = widest(measured.flatMap(({ contracts }) => contracts));
  const handlerWidth = widest(measured.flatMap(({ handlers }) => handlers));
  const columns = [
    margin,
    margin + contractWidth + columnGap,
    margin + contractWidth + handlerWidth + 2 * columnGap,
  ] as const;
  let top = margin + sizes.heading;
  const placed = measured.map((group): PlacedGroup => {
    const left = heightOf(group.contracts, sizes.rowGap);
    const right = heightOf(group.handlers, 0);
    const height = Math.max(left, right);
    const panelTop = top + (height - right) / 2;
    const placedGroup = {
      key: group.key,
      contracts: stack(group.contracts, columns[0], top + (height - left) / 2, contractWidth, sizes.rowGap),
      panel: { x: columns[1], y: panelTop, width: handlerWidth, height: right },
      handlers: stack(group.handlers, columns[1], panelTop, handlerWidth, 0),
    };
    top += height + sizes.groupGap;
    return placedGroup;
  });
  const sources = new Map<string, Box>(
    placed.flatMap(({ key, contracts, panel, handlers }) => [
      [key, panel] as const,
      ...contracts.map((one) => [one.contract.key, one] as const),
      ...handlers.map((one) => [one.handler.key, one] as const),
    ]),
  );
  const heights = groupBy(
    edges.filter(({ kind }) => kind === "stores"),
    ({ to }) => to,
  );
  const placedEntities = placeEntities(
    entities,
    (key) => (heights.get(key) ?? []).flatMap(({ from }) => sources.get(from) ?? []).map(middle),
    columns[2],
  );
  const bottom = Math.max(
    top - sizes.groupGap,
    ...placedEntities.map(({ y, height }) => y + height),
    margin + sizes.heading,
  );
  return {
    width: Math.ceil(columns[2] + widest(placedEntities) + margin),
    height: Math.ceil(bottom + margin),
    columns,
    groups: placed,
    entities: placedEntities,
    boxes: new Map([...sources, ...placedEntities.map((one) => [one.entity.key, one] as const)]),
  };
}

/** The middle of a side of a box. */
export function middle({ y, height }: Box): number {
  return y + height / 2;
}

type Measured<T> = T & { readonly width: number; readonly height: number };

function measureContract(contract: ContractBox): Measured<Omit<PlacedContract, keyof Box>> {
  const name = wrapped(contract.name, longestName, mostLines);
  const lines = contract.isTemplate ? ["template", ...contract.details] : contract.details;
  const details = lines.map((line) => wrapped(line, longestDetail, mostLines));
  const widths = [name.width * sizes.character, ...details.map(({ width }) => width * sizes.smallCharacter)];
  const small = details.reduce((sum, { lines: { length } }) => sum + length, 0);
  return {
    contract,
    name,
    details,
    width: Math.max(...widths) + 2 * sizes.padding,
    height: name.lines.length * sizes.line + small * sizes.smallLine + 2 * sizes.padding,
  };
}

function measureHandler(handler: HandlerBox): Measured<Omit<PlacedHandler, keyof Box>> {
  const text = wrapped(prefixOf(handler) + handler.text, longestTrigger, mostLines);
  return {
    handler,
    text,
    width: text.width * sizes.character + 2 * sizes.padding,
    height: text.lines.length * sizes.line + sizes.padding,
  };
}

function measureEntity(entity: EntityBox): Measured<Omit<PlacedEntity, keyof Box>> {
  const name = wrapped(entity.name, longestName, mostLines);
  return {
    entity,
    name,
    width: name.width * sizes.character + 2 * sizes.padding,
    height: name.lines.length * sizes.line + sizes.padding,
  };
}

function widest(all: readonly { readonly width: number }[]): number {
  return all.reduce((most, { width }) => Math.max(most, width), 0);
}

function heightOf(all: readonly { readonly height: number }[], gap: number): number {
  return all.reduce((sum, { height }) => sum + height + gap, all.length === 0 ? 0 : -gap);
}

function stack<T extends { readonly height: number }>(
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
 * Places entities at the average height of what stores them, so that few lines cross.
 * @param heightsOf the heights of what stores the entity with a key
 */
function placeEntities(
  entities: readonly EntityBox[],
  heightsOf: (key: string) => readonly number[],
  x: number,
): readonly PlacedEntity[] {
  const wanted = (key: string): number => {
    const all = heightsOf(key);
    return all.length === 0
      ? Number.POSITIVE_INFINITY
      : all.reduce((sum, height) => sum + height, 0) / all.length;
  };
  const sorted = entities
    .map((entity) => ({ ...measureEntity(entity), wanted: wanted(entity.key) }))
    .toSorted((one, other) => (one.wanted === other.wanted ? 0 : one.wanted - other.wanted));
  const width = widest(sorted);
  let free = sizes.margin + sizes.heading;
  return sorted.map(({ wanted: at, ...entity }) => {
    const y = Number.isFinite(at) ? Math.max(free, at - entity.height / 2) : free;
    free = y + entity.height + sizes.rowGap;
    return { ...entity, x, y, width };
  });
}
