import { type ComparedBlock, type EndpointHead, readBlock, readHead } from "./block.js";
import { type ComparisonState, digestOf, StateError } from "./comparison-state.js";
import type { QueryEndpoint } from "./endpoint.js";
import { readEndpointSchema } from "./endpoint-schema.js";
import { type EntityRow, type EntitySource, readPage } from "./entity-page.js";
import { compareIds } from "./id-order.js";
import { type ComparedType, type ComparisonPlan, matchSchemas } from "./match-schemas.js";
import { compareProofs, type ProofComparison } from "./proofs.js";
import { addBoth, addOnly, emptyTally, hasDifferences, type TallyOptions, type TypeTally } from "./tally.js";

/** Reads the entities of a type on one side, one by one; holds at most a page of them. */
class EntityReader {
  readonly #source: EntitySource;
  #rows: readonly EntityRow[] = [];
  #at = 0;
  #last: string | undefined;
  #hasEnded = false;

  /** @param after the id before the first entity; absent to start at the beginning */
  constructor(source: EntitySource, after: string | undefined) {
    this.#source = source;
    this.#last = after;
  }

  /** Whether `fill` must read the next page before `next` can be used. */
  get isEmpty(): boolean {
    return this.#at >= this.#rows.length && !this.#hasEnded;
  }

  /** The next entity; `undefined` when there are no more. Use it only when the reader is not empty. */
  get next(): EntityRow | undefined {
    return this.#rows[this.#at];
  }

  /** Advances past the next entity. */
  take(): void {
    this.#at += 1;
  }

  /** Reads the next page if needed. A short page is not the end: some endpoints allow fewer entities than requested. */
  async fill(): Promise<void> {
    if (!this.isEmpty) return;
    this.#rows = await readPage(this.#source, this.#last);
    this.#at = 0;
    this.#last = this.#rows.at(-1)?.id ?? this.#last;
    this.#hasEnded = this.#rows.length === 0;
  }
}

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
  /**
   * Finds the status APIs of both sides, to compare proofs of indexing before any entity. Called only if the sides serve
   * the same deployment and all entities are wanted.
   */
  status?(): Promise<readonly [left: QueryEndpoint, right: QueryEndpoint] | undefined>;
  /** Called before the proofs of a block are read. */
  onProof?(block: number): void;
  /** Called with the progress before each page is read; reading waits for the returned promise. */
  onProgress(state: ComparisonState): Promise<void>;
}

/** The result of a comparison. */
export interface Comparison {
  readonly block: ComparedBlock;
  readonly heads: readonly [left: EndpointHead, right: EndpointHead];
  readonly plan: ComparisonPlan;
  /** Absent if the sides were not compared by proofs of indexing. */
  readonly proofs?: ProofComparison;
  /** Empty if no entities were read: the block differs between the sides, or proofs of indexing tell enough. */
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
  const proofs = state ? undefined : await proofsOf(options, block, heads);
  const isTold = proofs?.isEqual === true || (proofs?.first?.count ?? 0) > 0;
  if (proofs && isTold)
    return {
      block,
      heads,
      plan,
      proofs,
      types: [],
      isEqual: proofs.isEqual && plan.differences.length === 0,
    };
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
    ...(proofs && { proofs }),
    types,
    isEqual: !proofs && plan.differences.length === 0 && !types.some(hasDifferences),
  };
}

async function proofsOf(
  { entities, show, status, onProof = () => undefined }: CompareOptions,
  { number, left, right }: ComparedBlock,
  heads: Comparison["heads"],
): Promise<ProofComparison | undefined> {
  const [deployment, other] = heads.map((head) => head.deployment);
  if (deployment === undefined || deployment !== other || entities.size > 0) return undefined;
  const sides = await status?.();
  return (
    sides && compareProofs({ sides, deployment, block: number, hash: left ?? right, show, onBlock: onProof })
  );
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

/**
 * Compares the entities of a type. Both sides are read in the order of their ids and merged like sorted lists.
 * @param tally the results so far; the comparison continues after its last id, and updates it
 * @param onPage called before the next page of a side is read, when the tally is consistent
 * @throws EndpointFailure when a side cannot be read
 */
async function compareType(
  type: ComparedType,
  [left, right]: readonly [EntitySource, EntitySource],
  tally: TypeTally,
  options: TallyOptions,
  onPage: () => Promise<void>,
): Promise<void> {
  const readers = [left, right].map((source) => new EntityReader(source, tally.last ?? undefined));
  const [one, other] = readers as [EntityReader, EntityReader];
  for (;;) {
    if (one.isEmpty || other.isEmpty) {
      await onPage();
      await Promise.all(readers.map((reader) => reader.fill()));
    }
    const [mine, theirs] = [one.next, other.next];
    if (!mine && !theirs) break;
    const order = !mine ? 1 : !theirs ? -1 : compareIds(type.order, mine.id, theirs.id);
    if (mine && order < 0) addOnly(tally, "left", mine, options);
    else if (theirs && order > 0) addOnly(tally, "right", theirs, options);
    else if (mine && theirs) addBoth(tally, type, mine, theirs, options);
    if (order <= 0) one.take();
    if (order >= 0) other.take();
  }
  tally.isDone = true;
}
