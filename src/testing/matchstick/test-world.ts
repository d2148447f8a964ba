import { DeterministicError } from "../../runtime/errors.js";
import { keysOf } from "../../runtime/store/references.js";
import type { ContractCall, EthereumValue, LogLevel } from "../../runtime/values.js";
import type { MappingWorld } from "../../runtime/wasm/mapping.js";
import type { Entity } from "../../subgraph/schema/entity.js";
import type { EntitySchema } from "../../subgraph/schema/entity-schema.js";
import { MockedCalls } from "./mocked-calls.js";
import { StopError } from "./stop-error.js";

/** The facts about a subgraph that its tests need. */
export interface TestedSubgraph {
  readonly schema: EntitySchema;
  /** The kinds of the templates, by name. */
  readonly templates: ReadonlyMap<string, string>;
  /**
   * A file that a test names, relative to the project's folder.
   * @returns `undefined` when there is none
   */
  readFile(path: string): Uint8Array | undefined;
}

/** A data source that a handler created. */
export interface CreatedSource {
  readonly kind: string;
  readonly name: string;
  /** Its address, or the path of its file. */
  readonly address: string;
  readonly context: Entity | undefined;
}

type Entities = Map<string, Map<string, Entity>>;

export const zeroAddress = "0x0000000000000000000000000000000000000000";

/** The world of one file's tests: their stored entities and mocks so far. */
export class TestWorld implements MappingWorld {
  readonly subgraph: TestedSubgraph;
  readonly calls = new MockedCalls();
  /** The paths of mocked files, by hash. */
  readonly files = new Map<string, string>();
  /** The created data sources by template, then by address. */
  readonly sources = new Map<string, Map<string, CreatedSource>>();
  /** The result of `dataSource`; `undefined` before a test mocks it. */
  source: { readonly address: string; readonly network: string; readonly context: Entity } | undefined;
  #entities: Entities = new Map();
  #inBlock: Entities = new Map();

  constructor(subgraph: TestedSubgraph) {
    this.subgraph = subgraph;
    for (const name of subgraph.templates.keys()) this.sources.set(name, new Map());
  }

  /** The mocked address. May also be the hash of a file. */
  get address(): string {
    return this.source?.address ?? zeroAddress;
  }

  get network(): string {
    return this.source?.network ?? "mainnet";
  }

  get context(): Entity {
    return this.source?.context ?? new Map();
  }

  /** All entities by type, then by id. */
  get entities(): ReadonlyMap<string, ReadonlyMap<string, Entity>> {
    return this.#entities;
  }

  get(type: string, id: string): Entity | undefined {
    return this.#entities.get(type)?.get(id);
  }

  getInBlock(type: string, id: string): Entity | undefined {
    return this.#inBlock.get(type)?.get(id);
  }

  related(type: string, id: string, field: string): readonly Entity[] {
    const { types, implementers } = this.subgraph.schema;
    const { derivedFrom, target } = types.get(type)?.fields.get(field) ?? {};
    if (derivedFrom === undefined || target === undefined) return [];
    const holders = implementers.get(target) ?? [target];
    return holders.flatMap((holder) =>
      [...(this.#entities.get(holder)?.values() ?? [])].filter((entity) =>
        keysOf(entity.get(derivedFrom)).includes(id),
      ),
    );
  }

  set(type: string, id: string, data: Entity): void {
    this.#set(this.#entities, type, id, data);
  }

  /** Stores an entity that only `loadInBlock` finds. */
  setInBlock(type: string, id: string, data: Entity): void {
    this.#set(this.#inBlock, type, id, data);
  }

  #set(store: Entities, type: string, id: string, data: Entity): void {
    const definition = this.subgraph.schema.types.get(type);
    if (!definition) throw new StopError(`The schema has no entity type ${type}, so it cannot be stored.`);
    for (const { name, nonNull, derivedFrom } of definition.fields.values()) {
      if (!nonNull || derivedFrom !== undefined) continue;
      // The host sets it in every timeseries.
      if (definition.timeseries && name === "timestamp") continue;
      const value = data.get(name);
      if (!value) {
        throw new DeterministicError(
          `Missing value for non-nullable field '${name}' for an entity of type '${type}'.`,
        );
      }
      if (value.kind === "Null") {
        throw new DeterministicError(`The required field '${name}' for an entity of type '${type}' is null.`);
      }
    }
    const entities = store.get(type) ?? new Map<string, Entity>();
    store.set(type, entities.set(id, data));
  }

  remove(type: string, id: string): void {
    if (this.#entities.get(type)?.delete(id)) return;
    throw new DeterministicError(`(store.remove) Entity with type '${type}' and id '${id}' does not exist.`);
  }

  /** Forgets all entities. */
  clear(): void {
    this.#entities.clear();
  }

  /** Forgets the entities that only `loadInBlock` finds. */
  clearInBlock(): void {
    this.#inBlock.clear();
  }

  call(call: ContractCall): readonly EthereumValue[] | undefined {
    return this.calls.answer(call);
  }

  balance(address: string): bigint {
    throw new StopError(`A test cannot mock ethereum.getBalance, which a handler called for ${address}.`);
  }

  hasCode(address: string): boolean {
    throw new StopError(`A test cannot mock ethereum.hasCode, which a handler called for ${address}.`);
  }

  file(hash: string): Uint8Array {
    return this.neededFile(hash);
  }

  ipfsBlock(path: string): Uint8Array {
    throw new StopError(`A test cannot mock ipfs.getBlock, which a handler called for ${path}.`);
  }

  neededFile(hash: string): Uint8Array {
    const path = this.files.get(hash);
    if (path === undefined)
      throw new StopError(`IPFS file \`${hash}\` not found. Mock it with mockIpfsFile.`);
    return this.readFile(path);
  }

  /** @throws StopError if the file does not exist */
  readFile(path: string): Uint8Array {
    const content = this.subgraph.readFile(path);
    if (content) return content;
    throw new StopError(`Failed to read file \`${path}\`: there is no such file in the project's folder.`);
  }

  /** As in matchstick, every hash has this name. */
  ensName(): string {
    return "default";
  }

  apart(task: (world: MappingWorld) => void): void {
    task(this);
  }

  createDataSource(template: string, params: readonly string[], context?: Entity): void {
    const kind = this.subgraph.templates.get(template);
    const created = this.sources.get(template);
    if (kind === undefined || !created) {
      const names = [...this.subgraph.templates.keys()].join(", ");
      throw new DeterministicError(
        `Failed to create data source from name \`${template}\`: No template with this name available. Available names: ${names}.`,
      );
    }
    const [address = ""] = params;
    created.set(address, { kind, name: template, address, context });
  }

  log(_level: LogLevel, _message: string): void {
    throw new Error("tests log through their own host function");
  }
}
