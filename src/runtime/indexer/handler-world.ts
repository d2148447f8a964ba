import type { Entity } from "../../subgraph/schema/entity.js";
import type { BlockPointer } from "../chain/chain.js";
import type { EntityCache } from "../store/entity-cache.js";
import type { CreatedDataSource } from "../store/store.js";
import type { ContractCall, EthereumValue, LogLevel } from "../values.js";
import type { MappingWorld } from "../wasm/mapping.js";
import type { ActiveSource } from "./active-source.js";
import type { BlockCalls } from "./block-calls.js";
import type { BlockFiles } from "./block-files.js";

/** State shared by all handlers of a block. */
export interface BlockContext {
  readonly block: BlockPointer;
  readonly network: string;
  readonly cache: EntityCache;
  readonly calls: BlockCalls;
  readonly files: BlockFiles;
  /** Whether a template of that name exists is checked when it is created. @throws DeterministicError */
  checkTemplate(name: string): void;
}

/** A line that a mapping logged. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
}

/** The world of one run of a handler; its created sources and log lines count only if it succeeds. */
export class HandlerWorld implements MappingWorld {
  readonly created: CreatedDataSource[] = [];
  readonly lines: LogLine[] = [];
  readonly #source: ActiveSource;
  readonly #context: BlockContext;

  constructor(source: ActiveSource, context: BlockContext) {
    this.#source = source;
    this.#context = context;
  }

  get address(): string {
    return this.#source.address ?? "0x";
  }

  get network(): string {
    return this.#context.network;
  }

  get context(): Entity {
    return this.#source.context;
  }

  get(type: string, id: string): Entity | undefined {
    return this.#context.cache.get(type, id);
  }

  getInBlock(type: string, id: string): Entity | undefined {
    return this.#context.cache.getInBlock(type, id);
  }

  related(type: string, id: string, field: string): readonly Entity[] {
    return this.#context.cache.related(type, id, field);
  }

  set(type: string, id: string, data: Entity): void {
    this.#context.cache.set(type, id, data);
  }

  remove(type: string, id: string): void {
    this.#context.cache.remove(type, id);
  }

  call(call: ContractCall): readonly EthereumValue[] | undefined {
    const { address, data, decode } = this.#source.code.contracts.encode(call);
    const answer = this.#context.calls.answer({ address, data });
    return answer.kind === "reverted" ? undefined : decode(answer.data);
  }

  balance(address: string): bigint {
    return this.#context.calls.balance(address);
  }

  hasCode(address: string): boolean {
    return this.#context.calls.hasCode(address);
  }

  file(path: string): Uint8Array | undefined {
    return this.#context.files.read(path);
  }

  neededFile(path: string): Uint8Array {
    return this.#context.files.readNeeded(path);
  }

  apart(task: (world: MappingWorld) => void): void {
    const { cache } = this.#context;
    const own = cache.apart();
    const world = new HandlerWorld(this.#source, { ...this.#context, cache: own });
    try {
      task(world);
    } finally {
      // What was said counts even if it fails.
      for (const line of world.lines) this.lines.push(line);
    }
    for (const created of world.created) this.created.push(created);
    cache.adopt(own);
  }

  createDataSource(template: string, [address = ""]: readonly string[], context?: Entity): void {
    this.#context.checkTemplate(template);
    const created = { template, address: address.toLowerCase(), creationBlock: this.#context.block.number };
    this.created.push({ ...created, ...(context && { context }) });
  }

  log(level: LogLevel, message: string): void {
    this.lines.push({ level, message });
  }
}
