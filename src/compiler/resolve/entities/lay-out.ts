import { groupBy } from "../../../base/group-by.js";
import { present } from "../../../base/invariant.js";
import { plainSignature } from "../../abi/abi.js";
import type { Report } from "../../diagnostics/report.js";
import type { Handler } from "../../model/handler.js";
import type {
  AbiModel,
  ChainModel,
  DataSourceModel,
  MappingModule,
  SourceModel,
} from "../../model/subgraph.js";
import type { UsedAbi } from "../bind-abis.js";
import type { NamedTemplate } from "../group-templates.js";
import type { InstanceListener, Variant } from "../listen.js";
import type { DataSourceListener, ReachedChain } from "../reach-chains.js";
import type { BoundResolution } from "../resolution.js";

/** The files of a project: one manifest per chain, one mapping module per ABI. */
export interface ProjectLayout {
  readonly chains: readonly ChainModel[];
  readonly modules: readonly MappingModule[];
}

/** Assigns handlers to manifests and mapping modules. */
export function layOutProject(
  chains: readonly ReachedChain[],
  handlers: ReadonlyMap<Variant, Handler>,
  resolution: BoundResolution,
): ProjectLayout {
  const laidOut = chains.map((chain) => layOutChain(chain, handlers, resolution));
  const modules = layOutModules(laidOut, reachedHandlers(chains, handlers), resolution.abis);
  return { chains: laidOut, modules };
}

/** After errors, some handlers may be unreachable from any chain; their bindings have no file. */
function reachedHandlers(
  chains: readonly ReachedChain[],
  handlers: ReadonlyMap<Variant, Handler>,
): ReadonlyMap<Variant, Handler> {
  const reached = new Set(
    chains.flatMap(({ dataSources, templates }) =>
      [...dataSources, ...templates].flatMap(({ variants }) => variants),
    ),
  );
  return new Map([...handlers].filter(([variant]) => reached.has(variant)));
}

function layOutChain(
  { chain, dataSources, templates }: ReachedChain,
  handlers: ReadonlyMap<Variant, Handler>,
  resolution: BoundResolution,
): ChainModel {
  const { abis, report } = resolution;
  const repeated = repeatedCalls(dataSources);
  const sources = dataSources.flatMap((listener) => {
    const own = handlersOf(listener, handlers, report);
    const kept = listener.variants.filter((_, index) => !repeated.get(listener)?.has(index));
    const left = kept.flatMap((variant) => handlers.get(variant) ?? []);
    return own.length > 0 && left.length > 0 ? [{ listener, handlers: left }] : [];
  });
  const names = nameDataSources(
    sources.map(({ listener }) => listener),
    abis,
  );
  const placed = sources.map(({ listener: { instance }, handlers: own }, index) => ({
    name: present(names[index], "a data source has no name"),
    abi: present(abis.get(instance.abi.value), "a data source's ABI is not bound").model,
    handlers: own,
    address: instance.address.value.toLowerCase(),
    startBlock: instance.startBlock.value,
    at: instance.abi.at,
    places: { address: instance.address.at, startBlock: instance.startBlock.at },
  }));
  const placedTemplates = templates
    .map((template) => layOutTemplate(template, handlers, resolution))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const needs = neededAbis([...placed, ...placedTemplates], abis);
  return {
    chain,
    dataSources: placed.map((source): DataSourceModel => ({ ...source, abis: needs(source.abi) })),
    templates: placedTemplates.map((source): SourceModel => ({ ...source, abis: needs(source.abi) })),
  };
}

type PlacedSource = Omit<SourceModel, "abis">;

/**
 * The ABIs of a source: its own, then all ABIs that handlers of its ABI call on this chain. All sources of an ABI
 * list the same ABIs, because its mapping module imports the bindings from one source's folder.
 */
function neededAbis(
  sources: readonly PlacedSource[],
  abis: ReadonlyMap<string, UsedAbi>,
): (abi: AbiModel) => readonly AbiModel[] {
  const models = new Map([...abis.values()].map(({ model }) => [model.className, model]));
  const called = new Map<AbiModel, Set<string>>();
  const handlersSeen = new Set<Handler>();
  for (const { abi, handlers } of sources) {
    const own = called.get(abi) ?? new Set<string>();
    called.set(abi, own);
    for (const handler of handlers) {
      if (handlersSeen.has(handler)) continue;
      handlersSeen.add(handler);
      for (const { contract } of handler.enrichment?.calls ?? []) own.add(contract);
    }
  }
  return (abi) => {
    const others = [...(called.get(abi) ?? [])].filter((name) => name !== abi.className).sort();
    return [abi, ...others.map((name) => present(models.get(name), "a called ABI is not bound"))];
  };
}

function layOutTemplate(
  template: NamedTemplate,
  handlers: ReadonlyMap<Variant, Handler>,
  { abis, report }: BoundResolution,
): PlacedSource {
  const instance = present(template.origins[0], "a template has no origin").instance;
  return {
    name: template.name,
    abi: present(abis.get(template.abi), "a template's ABI is not bound").model,
    handlers: handlersOf({ instance, variants: template.variants }, handlers, report),
    at: instance.abi.at,
  };
}

/** The handlers of an instance, except for triggers without a binding. */
function handlersOf(
  { instance, variants }: InstanceListener,
  handlers: ReadonlyMap<Variant, Handler>,
  report: Report,
): readonly Handler[] {
  const own = variants.flatMap((variant) => handlers.get(variant) ?? []);
  if (own.length === 0) {
    report.error(
      "nothing-to-index",
      instance.abi.at,
      `ABI "${instance.abi.value}" has nothing that can be indexed`,
      {
        hint: "remove the instance",
      },
    );
  }
  return own;
}

/**
 * Calls that two data sources of one address would both store (the facets of a diamond): by listener, the indexes of
 * the variants that a different data source already covers. The earliest start block wins, then written order.
 */
function repeatedCalls(
  dataSources: readonly DataSourceListener[],
): ReadonlyMap<DataSourceListener, ReadonlySet<number>> {
  const seen = new Set<string>();
  const repeated = new Map<DataSourceListener, Set<number>>();
  const byStart = dataSources.toSorted((a, b) => a.instance.startBlock.value - b.instance.startBlock.value);
  for (const listener of byStart) {
    for (const [index, { entry }] of listener.variants.entries()) {
      if (entry.kind === "event") continue;
      const key = `${listener.instance.address.value.toLowerCase()} ${plainSignature(entry)}`;
      if (!seen.has(key)) {
        seen.add(key);
        continue;
      }
      const positions = repeated.get(listener) ?? new Set<number>();
      repeated.set(listener, positions.add(index));
    }
  }
  return repeated;
}

/**
 * Names the first data source of an ABI after it, so that every chain has the folder from which the mappings import;
 * further ones also get a prefix of their address. Independent of other ABIs' instances.
 */
function nameDataSources(
  listeners: readonly DataSourceListener[],
  abis: ReadonlyMap<string, UsedAbi>,
): readonly string[] {
  const short = ({ instance }: DataSourceListener): string =>
    `${instance.abi.value} ${instance.address.value.slice(2, 10).toLowerCase()}`;
  const sharing = new Map<string, number>();
  for (const listener of listeners) sharing.set(short(listener), (sharing.get(short(listener)) ?? 0) + 1);
  const named = new Set<string>();
  return listeners.map((listener) => {
    const { abi, address } = listener.instance;
    const { className } = present(abis.get(abi.value), "a data source's ABI is not bound").names;
    if (!named.has(className)) {
      named.add(className);
      return className;
    }
    const digits = address.value.slice(2).toLowerCase();
    return `${className}_${sharing.get(short(listener)) === 1 ? digits.slice(0, 8) : digits}`;
  });
}

function layOutModules(
  chains: readonly ChainModel[],
  handlers: ReadonlyMap<Variant, Handler>,
  abis: ReadonlyMap<string, UsedAbi>,
): readonly MappingModule[] {
  const byAbi = groupBy(handlers, ([{ declaration }]) => declaration.name.value);
  const modules = [...byAbi].map(([name, pairs]): MappingModule => {
    const own = pairs.map(([, handler]) => handler);
    const { names, model } = present(abis.get(name), "a module's ABI is not bound");
    return { fileStem: names.fileStem, abi: model, bindings: bindingFolders(model, chains), handlers: own };
  });
  return modules.sort((a, b) => (a.abi.className < b.abi.className ? -1 : 1));
}

/**
 * For every ABI that handlers of `abi` need, a generated folder with its binding: from the template named after `abi`
 * if there is one, else from the data source. In this order, because another chain can add a data source, but no
 * template.
 */
function bindingFolders(abi: AbiModel, chains: readonly ChainModel[]): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  const add = (sources: readonly SourceModel[], prefix: string): void => {
    for (const source of sources) {
      if (source.name !== abi.className) continue;
      for (const { className } of source.abis) {
        if (!folders.has(className)) folders.set(className, prefix + source.name);
      }
    }
  };
  for (const { templates } of chains) add(templates, "templates/");
  for (const { dataSources } of chains) add(dataSources, "");
  return folders;
}
