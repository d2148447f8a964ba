import type { Template } from "../../subgraph/runnable/built-subgraph.js";
import type { Entity } from "../../subgraph/schema/entity.js";
import type { BlockPointer } from "../chain/chain.js";
import { DeterministicError, LeftOutError, RetriedError } from "../errors.js";
import { blockPath, filePath } from "../files/file-path.js";
import type { EntityCache } from "../store/entity-cache.js";
import type { CreatedDataSource } from "../store/store.js";
import type { ContractCall, EthereumValue, LogLevel } from "../values.js";
import type { MappingWorld } from "../wasm/mapping.js";
import type { ActiveSource } from "./active-source.js";
import type { BlockNames } from "./block-names.js";
import type { BlockFiles } from "./files/block-files.js";
import { addressOf } from "./files/file-sources.js";
import type { BlockReads } from "./triggers/block-calls.js";

/** State shared by all handlers of a block. */
export interface BlockContext {
  readonly block: BlockPointer;
  readonly network: string;
  readonly cache: EntityCache;
  readonly calls: Pick<BlockReads, "answer" | "balance" | "hasCode" | "asked" | "readAhead">;
  /** Whether handlers may read balances and code of accounts. */
  readonly readsAccounts: boolean;
  readonly files: BlockFiles;
  readonly names: BlockNames;
  /** The template with a name, to create a data source from. @throws DeterministicError */
  templateOf(name: string): Template;
}

/** A line that a mapping logged. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
}

/** The world of one run of a handler. Its created sources count only if the run succeeds. */
export class HandlerWorld implements MappingWorld {
  readonly created: CreatedDataSource[] = [];
  readonly lines: LogLine[] = [];
  /** Why a data source that the handler requested cannot be created. */
  #refused: string | undefined;
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
    this.#checkAccess(type, "read");
    return this.#context.cache.get(type, id);
  }

  getInBlock(type: string, id: string): Entity | undefined {
    this.#checkAccess(type, "read");
    return this.#context.cache.getInBlock(type, id);
  }

  related(type: string, id: string, field: string): readonly Entity[] {
    this.#checkAccess(type, "read");
    return this.#context.cache.related(type, id, field);
  }

  set(type: string, id: string, data: Entity): void {
    this.#checkAccess(type, "write");
    this.#context.cache.set(type, id, data);
  }

  remove(type: string, id: string): void {
    this.#checkAccess(type, "write");
    this.#context.cache.remove(type, id);
  }

  call(call: ContractCall): readonly EthereumValue[] | undefined {
    const { address, data, decode } = this.#source.code.contracts.encode(call);
    const answer = this.#context.calls.answer({ address, data });
    return answer.kind === "reverted" ? undefined : decode(answer.data);
  }

  balance(address: string): bigint {
    this.#checkAccounts("getBalance");
    return this.#context.calls.balance(address);
  }

  hasCode(address: string): boolean {
    this.#checkAccounts("hasCode");
    return this.#context.calls.hasCode(address);
  }

  file(path: string): Uint8Array | undefined {
    return this.#context.files.read(path);
  }

  ipfsBlock(path: string): Uint8Array | undefined {
    return this.#context.files.read(blockPath(path));
  }

  neededFile(path: string): Uint8Array {
    return this.#context.files.readNeeded(path);
  }

  ensName(hash: string): string | null {
    return this.#context.names.nameOf(hash);
  }

  apart(task: (world: MappingWorld) => void): void {
    const { cache } = this.#context;
    const own = cache.apart();
    const world = new HandlerWorld(this.#source, { ...this.#context, cache: own });
    try {
      task(world);
    } finally {
      // Log lines count even if the task fails.
      for (const line of world.lines) this.lines.push(line);
    }
    for (const created of world.created) this.created.push(created);
    this.#refused ??= world.#refused;
    cache.adopt(own);
  }

  /** @throws DeterministicError when the template does not exist; an invalid address is reported by `end` */
  createDataSource(template: string, [address]: readonly string[], context?: Entity): void {
    const { file } = this.#context.templateOf(template);
    const path = file?.isArweave ? address : file && filePath(address ?? "");
    if (file && path === undefined) {
      // As in graph-node, an address that is not that of a file is skipped.
      this.log("warning", `${template} was not created: ${address ?? ""} is not the address of a file`);
      return;
    }
    const own = path === undefined ? contractIn(address) : addressOf(path);
    if (own === undefined) {
      this.#refused ??=
        address === undefined
          ? `Failed to create data source from template \`${template}\`: address parameter is missing`
          : `Failed to create data source from template \`${template}\`, invalid address provided: ${address}`;
      return;
    }
    const created = { template, address: own, creationBlock: this.#context.block.number };
    this.created.push({ ...created, ...(context && { context }) });
  }

  /** Call it when the handler succeeded. @throws RetriedError when a requested data source cannot be created */
  end(): void {
    if (this.#refused !== undefined) throw new RetriedError(this.#refused);
  }

  /** A file data source may only read and write what its template lists. @throws LeftOutError, DeterministicError */
  #checkAccess(type: string, doing: "read" | "write"): void {
    const { name, file } = this.#source.template;
    if (!file || file.entities.has(type)) return;
    const all = [...file.entities].join(", ");
    const why = `entity type \`${type}\` is not on the 'entities' list for data source \`${name}\`. Hint: Add \`${type}\` to the 'entities' list, which currently is: \`${all}\`.`;
    throw doing === "read" ? new LeftOutError(why) : new DeterministicError(why);
  }

  /** @throws DeterministicError for mappings of versions in which graph-node refuses the function */
  #checkAccounts(name: string): void {
    if (this.#context.readsAccounts) return;
    throw new DeterministicError(`ethereum.${name} call is not supported before API version 0.0.9`);
  }

  log(level: LogLevel, message: string): void {
    this.lines.push({ level, message });
  }
}

/** The address of a contract, given with or without 0x, as lower-case hex with 0x; `undefined` if it is invalid. */
function contractIn(text = ""): string | undefined {
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{40})$/.exec(text) ?? [];
  return digits && `0x${digits.toLowerCase()}`;
}
