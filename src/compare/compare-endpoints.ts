import { type ComparedBlock, type EndpointHead, readBlock, readHead } from "./block.js";
import { compareType } from "./compare-type.js";
import { type ComparisonState, digestOf, StateError } from "./comparison-state.js";
import type { QueryEndpoint } from "./endpoint.js";
import { readEndpointSchema } from "./endpoint-schema.js";
import { type ComparisonPlan, matchSchemas } from "./match-schemas.js";
import { emptyTally, hasDifferences, type TypeTally } from "./tally.js";

/** The endpoints to compare, and how. */
export interface CompareOptions {
  readonly sides: readonly [left: QueryEndpoint, right: QueryEndpoint];
  /** The default is the block of the state, or else the lower of both heads. */
  readonly block?: number | undefined;
  /** Names of the entity types to compare; empty for all. */
  readonly entities: ReadonlySet<string>;
  /** Entities per page. */
  readonly page: number;
  /** Differences to keep for each type. */
  readonly show: number;
  /** The state of an interrupted comparison to resume. */
  readonly state?: ComparisonState | undefined;
  /** Called with the progress before each page is read; reading waits for the returned promise. */
  onProgress(state: ComparisonState): Promise<void>;
}

/** The result of a comparison. */
export interface Comparison {
  readonly block: ComparedBlock;
  readonly heads: readonly [left: EndpointHead, right: EndpointHead];
  readonly plan: ComparisonPlan;
  /** Empty when the block differs between the sides, because then no entities are read. */
  readonly types: readonly TypeTally[];
  readonly isEqual: boolean;
}

/** Neither side has an entity type of this name. */
export class UnknownEntity extends Error {
  override readonly name = "UnknownEntity";
}

/**
 * Compares all entities of two endpoints at one block.
 * @throws EndpointFailure when a side cannot be read
 * @throws StateError when the state belongs to a different comparison
 * @throws UnknownEntity when neither side has a requested entity type
 */
export async function compareEndpoints(options: CompareOptions): Promise<Comparison> {
  const { sides, state } = options;
  const [left, right] = sides;
  const heads = await Promise.all([readHead(left), readHead(right)]);
  const schemas = await Promise.all([readEndpointSchema(left), readEndpointSchema(right)]);
  for (const name of options.entities) {
    if (schemas.some(({ lists }) => lists.has(name))) continue;
    const known = [...new Set(schemas.flatMap(({ lists }) => [...lists.keys()]))].sort();
    throw new UnknownEntity(
      `neither side has an entity type "${name}"; the known types are ${known.join(", ")}`,
    );
  }
  const plan = matchSchemas(schemas[0], schemas[1], options.entities);
  const comparison = digestOf(sides, plan);
  if (state) checkState(state, comparison, heads, options.block);
  const number = options.block ?? Math.min(heads[0].number, heads[1].number);
  const block = state?.block ?? (await readBlock(number, sides, heads));
  if (block.isSame === false) return { block, heads, plan, types: [], isEqual: false };
  const types = plan.types.map(
    ({ name }) => state?.types.find((tally) => tally.name === name) ?? emptyTally(name),
  );
  const deployments = [heads[0].deployment, heads[1].deployment] as const;
  const progress = { comparison, block, deployments, types };
  await compareTypes(plan, progress, options);
  await options.onProgress({ ...progress, isDone: true });
  return {
    block,
    heads,
    plan,
    types,
    isEqual: plan.differences.length === 0 && !types.some(hasDifferences),
  };
}

async function compareTypes(
  plan: ComparisonPlan,
  progress: Omit<ComparisonState, "isDone">,
  { sides: [left, right], page, show, onProgress }: CompareOptions,
): Promise<void> {
  const { block, deployments } = progress;
  const options = { show, clean: (text: string) => left.clean(right.clean(text)) };
  for (const [index, type] of plan.types.entries()) {
    const tally = progress.types[index];
    if (!tally || tally.isDone) continue;
    const common = { type, block: block.number, page };
    const sources = [
      { ...common, endpoint: left, list: type.left, deployment: deployments[0], hash: block.left },
      { ...common, endpoint: right, list: type.right, deployment: deployments[1], hash: block.right },
    ] as const;
    await compareType(type, sources, tally, options, () => onProgress({ ...progress, isDone: false }));
  }
}

/** @throws StateError when the state does not fit */
function checkState(
  state: ComparisonState,
  comparison: string,
  heads: readonly EndpointHead[],
  block: number | undefined,
): void {
  if (state.comparison !== comparison)
    throw new StateError("it belongs to a comparison of other endpoints, types or fields");
  if (block !== undefined && state.block.number !== block)
    throw new StateError(`it belongs to a comparison at block ${state.block.number}, not at block ${block}`);
  for (const [index, side] of (["left", "right"] as const).entries()) {
    const [before, now] = [state.deployments[index], heads[index]?.deployment];
    if (before === undefined || now === undefined || before === now) continue;
    throw new StateError(
      `the ${side} side now serves a different deployment than when the comparison started`,
    );
  }
}
