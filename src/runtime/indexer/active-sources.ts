import { groupBy } from "../../base/group-by.js";
import type { BuiltSubgraph, Template } from "../../subgraph/runnable/built-subgraph.js";
import type { CallFilter, LogFilter } from "../chain/chain.js";
import { DeterministicError } from "../errors.js";
import type { CreatedDataSource } from "../store/store.js";
import type { Mapping } from "../wasm/mapping.js";
import { type ActiveSource, listensAt } from "./active-source.js";
import { addressOf, FileSources } from "./files/file-sources.js";
import { prepareTemplate, type TemplateCode } from "./template-code.js";

/**
 * All active data sources. Data sources that listen to the chain are in the order in which their handlers
 * run: first those from the manifest, then the created ones. File data sources are kept separately.
 */
export class ActiveSources {
  readonly #built: BuiltSubgraph;
  readonly #code = new Map<Template, TemplateCode>();
  readonly #byAddress = new Map<string, ActiveSource[]>();
  readonly #everywhere: ActiveSource[] = [];
  /** Sources with block handlers, in order. */
  #onBlocks: ActiveSource[] = [];
  /** Sources that do not listen to the chain but wait for a file. */
  readonly files = new FileSources();
  readonly #created = new Set<string>();
  #all: ActiveSource[] = [];
  /** Cached; cleared when sources are added or removed. */
  #callFilter: CallFilter | undefined;

  /**
   * @param firstBlock of the run
   * @throws DeterministicError when the manifest, its ABIs and its WASM are inconsistent
   */
  constructor(built: BuiltSubgraph, mappingOf: (wasm: Uint8Array) => Mapping, firstBlock = 0) {
    this.#built = built;
    for (const template of [...built.dataSources, ...built.templates]) {
      this.#code.set(template, prepareTemplate(template, built, mappingOf));
    }
    for (const source of built.dataSources) {
      this.#add({
        template: source,
        code: this.#codeOf(source),
        address: source.subgraph ? addressOf(source.subgraph.deployment) : source.address,
        startBlock: source.startBlock,
        endBlock: source.endBlock ?? Number.POSITIVE_INFINITY,
        onceBlock: Math.max(source.startBlock, firstBlock),
        context: source.context,
        order: this.#all.length,
      });
    }
  }

  get #isComposed(): boolean {
    return this.#built.dataSources.some(({ subgraph }) => subgraph !== undefined);
  }

  /** All sources, in order. */
  get all(): readonly ActiveSource[] {
    return this.#all;
  }

  /** The filter for the calls that any source listens to. */
  get callFilter(): CallFilter {
    this.#callFilter ??= callFilterOf(this.#all);
    return this.#callFilter;
  }

  /** The filter for the calls of a block: empty when no source that listens to calls is active at the block. */
  callFilterAt(block: number): CallFilter {
    const isWanted = this.#all.some((source) => wantsCalls(source.template) && listensAt(source, block));
    return isWanted ? this.callFilter : [];
  }

  /** Sources with block handlers, in order. */
  get onBlocks(): readonly ActiveSource[] {
    return this.#onBlocks;
  }

  /**
   * The last block that any source of the manifest listens to; infinite when one has no end block. As in graph-node,
   * created sources do not count, so they end there as well.
   */
  get lastBlock(): number {
    const ends = this.#built.dataSources.map(({ endBlock = Number.POSITIVE_INFINITY }) => endBlock);
    return Math.max(-1, ...ends);
  }

  /** The sources that could listen to an address, in order. */
  at(address: string): readonly ActiveSource[] {
    const own = this.#byAddress.get(address) ?? [];
    if (this.#everywhere.length === 0) return own;
    return [...own, ...this.#everywhere].sort((a, b) => a.order - b.order);
  }

  /** Finds a template by name. @throws DeterministicError whose message lists the known names */
  template(name: string): Template {
    const { templates } = this.#built;
    const found = templates.find((template) => template.name === name);
    if (found) return found;
    const known = templates.length > 0 ? templates.map((template) => template.name).join(", ") : "(none)";
    throw new DeterministicError(
      `Failed to create data source from name \`${name}\`: No template with this name in manifest. Available names: ${known}.`,
    );
  }

  /**
   * Adds a created data source. A file data source gets the next causality region, unless it already has one.
   * @returns `undefined` when an identical data source exists
   */
  create(created: CreatedDataSource): ActiveSource | undefined {
    const identity = identityOf(created);
    if (this.#created.has(identity)) return undefined;
    this.#created.add(identity);
    const template = this.template(created.template);
    const source: ActiveSource = {
      template,
      code: this.#codeOf(template),
      address: created.address,
      startBlock: created.creationBlock,
      // As in graph-node, a subgraph with other subgraphs as sources hears nothing of the chain.
      endBlock: this.#isComposed ? -1 : Number.POSITIVE_INFINITY,
      onceBlock: created.creationBlock,
      context: created.context ?? new Map(),
      order: this.#all.length,
      creation: created,
    };
    return template.file ? this.#addFile(source, created) : this.#add(source);
  }

  /** Removes the sources created after a block. Files that were handled after it are handled again. */
  dropCreatedAfter(block: number): void {
    for (const { source } of this.files.dropAfter(block)) {
      if (source.creation) this.#created.delete(identityOf(source.creation));
    }
    const isKept = ({ creation }: ActiveSource): boolean => !creation || creation.creationBlock <= block;
    for (const { creation } of this.#all.filter((source) => !isKept(source))) {
      if (creation) this.#created.delete(identityOf(creation));
    }
    this.#all = this.#all.filter(isKept);
    this.#onBlocks = this.#onBlocks.filter(isKept);
    this.#callFilter = undefined;
    for (const [address, sources] of this.#byAddress) this.#byAddress.set(address, sources.filter(isKept));
  }

  #addFile(source: ActiveSource, created: CreatedDataSource): ActiveSource {
    const { region = this.files.nextRegion } = created;
    const added = { ...source, creation: { ...created, region } };
    this.files.add(added, region);
    return added;
  }

  #add(source: ActiveSource): ActiveSource {
    this.#all.push(source);
    if (source.template.blockHandlers.length > 0) this.#onBlocks.push(source);
    this.#callFilter = undefined;
    if (source.address === undefined) this.#everywhere.push(source);
    else {
      const known = this.#byAddress.get(source.address);
      if (known) known.push(source);
      else this.#byAddress.set(source.address, [source]);
    }
    return source;
  }

  #codeOf(template: Template): TemplateCode {
    const code = this.#code.get(template);
    if (!code) throw new DeterministicError(`${template.name} was not prepared`);
    return code;
  }
}

/** The parts of a source that say what it listens to. */
type ListeningSource = Pick<ActiveSource, "template" | "address">;

/** The filter for the logs that sources listen to. Sources with the same events share an entry. */
export function logFilterOf(sources: readonly ListeningSource[]): LogFilter {
  const byTopics = groupBy(sources, ({ template }) => topicsOf(template).join());
  return [...byTopics.values()].flatMap((own) => {
    const topics = own[0] ? topicsOf(own[0].template) : [];
    return topics.length > 0 ? [{ addresses: addressesOf(own), topics }] : [];
  });
}

function topicsOf({ eventHandlers }: Template): readonly string[] {
  return [...new Set(eventHandlers.map(({ topic0 }) => topic0))].sort();
}

/** The filter for the calls that sources listen to. */
export function callFilterOf(sources: readonly ActiveSource[]): CallFilter {
  return [...byTemplate(sources)].flatMap(([template, own]) => {
    if (!wantsCalls(template)) return [];
    const selectors = wantsEveryCall(template)
      ? []
      : [...new Set(template.callHandlers.map(({ selector }) => selector))];
    return addressesOf(own).map((address) => ({ address, selectors }));
  });
}

function wantsCalls(template: Template): boolean {
  return template.callHandlers.length > 0 || wantsEveryCall(template);
}

function wantsEveryCall({ blockHandlers }: Template): boolean {
  return blockHandlers.some(({ filter }) => filter.kind === "call");
}

function byTemplate(sources: readonly ActiveSource[]): ReadonlyMap<Template, readonly ActiveSource[]> {
  return groupBy(sources, ({ template }) => template);
}

/** The addresses of sources; empty, which matches every address, when a source has no address. */
function addressesOf(sources: readonly ListeningSource[]): readonly string[] {
  const addresses = sources.map(({ address }) => address);
  return addresses.includes(undefined) ? [] : [...new Set(addresses as string[])];
}

/** The identity of a created source, without the block of its creation. */
function identityOf({ template, address, context }: CreatedDataSource): string {
  const values = [...(context ?? [])].map(([name, value]) => [name, value] as const);
  const text = JSON.stringify(values, (_, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
  return `${template} ${address} ${text}`;
}
