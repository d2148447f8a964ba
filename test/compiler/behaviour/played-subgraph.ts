import { type BuiltSubgraph, type Entity, plainEntity, type StoreValue } from "../../../src/exports/index.js";
import { type PlayOutcome, playBlocks } from "./play-blocks.js";
import { type LogPlace, type Place, PlayedBlocks } from "./played-blocks.js";
import type { ReadBatch } from "./played-chain.js";
import type { ContractCall, Contracts, PlayedFunctions } from "./played-contracts.js";
import type { ScenarioSchema } from "./scenario-schema.js";

/** An entity as tests compare it: bytes as hex strings, `BigInt` as bigint, `BigDecimal` as decimal strings. */
export type PlainEntity = Readonly<Record<string, unknown>>;

/** The result of building a scenario, and what is needed to play it. */
export interface Playable {
  readonly built: BuiltSubgraph;
  /** The same without declared calls. */
  readonly undeclared: BuiltSubgraph;
  /** First topics of the events whose handlers declare calls. */
  readonly declaring: ReadonlySet<string>;
  readonly functions: PlayedFunctions;
  readonly schema: ScenarioSchema;
}

/**
 * A built subgraph on a made-up chain. After every change of the chain, the runtime indexes it again from its first
 * block with an empty store, so that tests always see the result of a single run.
 */
export class PlayedSubgraph {
  readonly #playable: Playable;
  readonly #blocks = new PlayedBlocks();
  #played: PlayOutcome | undefined;
  #entities: ReadonlyMap<string, readonly PlainEntity[]> = new Map();
  #created: readonly { readonly template: string; readonly address: string }[] = [];
  #calls: readonly ContractCall[] = [];
  #declared: readonly ContractCall[] = [];

  constructor(playable: Playable) {
    this.#playable = playable;
  }

  /** The calls that handlers made, reverted ones included: each once per block, in order. */
  get calls(): readonly ContractCall[] {
    return this.#calls;
  }

  /** The calls that the manifest declares for the emitted logs, which the runtime made ahead of the handlers. */
  get declared(): readonly ContractCall[] {
    return this.#declared;
  }

  /** What the mappings logged. */
  get messages(): readonly string[] {
    const outcomes = this.#played?.outcomes ?? [];
    return outcomes.flatMap(({ lines }) => lines.map(({ message }) => message));
  }

  /** The data sources created, in order. */
  get created(): readonly { readonly template: string; readonly address: string }[] {
    return this.#created;
  }

  /** Sets what contracts answer from this block on, which must still be empty. */
  set contracts(contracts: Contracts) {
    this.#blocks.answerWith(contracts);
  }

  /** Every entity of a type, by id. */
  all(type: string): readonly PlainEntity[] {
    const found = this.#entities.get(type);
    if (found) return found;
    this.#playable.schema.fieldsOf(type);
    return [];
  }

  /** The entities that a derived field refers to. */
  async related(type: string, id: string, field: string): Promise<readonly PlainEntity[]> {
    const { target, by } = this.#playable.schema.derivation(type, field);
    return (await this.#played?.store.related(target, by, id))?.map(plain) ?? [];
  }

  /** Closes the block, so that the next trigger is in the next one. */
  endBlock(): void {
    this.#blocks.endBlock();
  }

  /** Emits a log with these values, ABI-encoded. @throws Error when nothing handles it */
  async emit(
    abi: readonly string[],
    address: string,
    event: string,
    values: readonly unknown[],
    place?: LogPlace,
  ): Promise<void> {
    this.#blocks.emit(abi, address, event, values, place);
    await this.#play(`nothing handles ${event} at ${address}`);
  }

  /** Calls a function with these arguments, which returns `outputs`. @throws Error when nothing handles it */
  async call(
    abi: readonly string[],
    address: string,
    name: string,
    inputs: readonly unknown[],
    outputs?: readonly unknown[],
    place?: Place,
  ): Promise<void> {
    this.#blocks.call(abi, address, name, inputs, outputs, place);
    await this.#play(`nothing handles calls of ${name} at ${address}`);
  }

  async #play(unhandled: string): Promise<void> {
    const { built, undeclared, declaring } = this.#playable;
    const played = await this.#run(built);
    if (played.handlers === this.#played?.handlers || played.handlers === 0) throw new Error(unhandled);
    const asked = declaring.size > 0 ? await this.#run(undeclared) : played;
    this.#calls = asked.reads.flatMap(({ calls }) => calls);
    this.#declared = this.#declaredAmong(played.reads);
    await this.#remember(played);
  }

  async #remember(played: PlayOutcome): Promise<void> {
    this.#played = played;
    const { types } = this.#playable.schema;
    const entities = types.map(async (type) => [type, (await played.store.all(type)).map(plain)] as const);
    this.#entities = new Map(await Promise.all(entities));
    this.#created = (await played.store.dataSources()).map(({ template, address }) => ({
      template,
      address,
    }));
  }

  #run(built: BuiltSubgraph): Promise<PlayOutcome> {
    return playBlocks(built, this.#blocks.all, this.#playable.functions);
  }

  /** If an event declares calls, they are the first ones of the block. */
  #declaredAmong(reads: readonly ReadBatch[]): readonly ContractCall[] {
    return this.#blocks.all.flatMap(({ block, logs }) => {
      const declares = logs.some(({ topics }) => this.#playable.declaring.has(topics[0] ?? ""));
      return (declares && reads.find((batch) => batch.block === block.number)?.calls) || [];
    });
  }
}

function plain(entity: Entity): PlainEntity {
  return Object.fromEntries([...entity].map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: StoreValue): unknown {
  if (value.kind === "Array") return value.value.map(plainValue);
  return value.kind === "BigInt" ? value.value : plainEntity(new Map([["it", value]])).it;
}
