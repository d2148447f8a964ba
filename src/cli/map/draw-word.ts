import { visible } from "../../base/text/visible.js";
import type { EntityOutline, ModelOutline, SourceOutline } from "../../compiler/model/model-outline.js";
import { baseFields } from "../../compiler/resolve/entities/entity-types.js";
import { compile } from "../../machine/compiler/compile.js";
import { PackageMissingError } from "../../machine/optional-package.js";
import { PngError } from "../../machine/resvg/draw-png.js";
import { mapOfManifest } from "../../subgraph/map/manifest-map.js";
import { MapTooLargeError } from "../../subgraph/map/mermaid-map.js";
import type { MapField, SubgraphMap } from "../../subgraph/map/subgraph-map.js";
import { groupContracts, type MapContract } from "../../subgraph/map/subgraph-map.js";
import { mapFactsPath, readMapFacts } from "../../subgraph/map-facts.js";
import type { EntitySchema, Field } from "../../subgraph/schema/entity-schema.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { findNamed, type Named } from "../named/find-named.js";
import { hostOfTerminal, loadNamed } from "../named/load-named.js";
import { configOf, orSay } from "../named/load-or-say.js";
import type { NamedBuilds } from "../named/named-builds.js";
import { subgraphNameOf } from "../named/subgraph-name.js";
import type { WordArguments } from "../named/word-options.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { type DrawnMap, drawnMap, type MapLook } from "./drawn-map.js";
import { MapFileError, staleFiles, writeMap } from "./map-files.js";
import { type MapTarget, mapTarget, type TargetOptions } from "./map-format.js";

export interface MapArguments extends TargetOptions, WordArguments, Pick<MapLook, "theme"> {
  /** The word that names the subgraph. */
  readonly subgraph: string;
  readonly ipfs?: string | undefined;
  readonly fields: boolean;
  readonly color: boolean;
  readonly verbose: boolean;
}

/**
 * Draws the map of the subgraph that a word names; returns the exit code.
 * @throws UsageError for options that contradict each other
 */
export async function drawWord(args: MapArguments, terminal: Terminal): Promise<number> {
  const target = mapTarget(args);
  const named = await findNamed(args.subgraph, hostOfTerminal(terminal));
  const map = await mapOf(named, args, terminal);
  if (typeof map === "number") return map;
  try {
    const drawn = await drawnMap(map, { format: target.format, theme: args.theme });
    return await deliver(drawn, target, args, terminal);
  } catch (error) {
    const isExpected = [MapFileError, MapTooLargeError, PackageMissingError, PngError].some(
      (kind) => error instanceof kind,
    );
    if (!isExpected) throw error;
    terminal.err(`${(error as Error).message}\n`);
    return exitCodes.diagnostics;
  }
}

/** The map of a subgraph, or the exit code after its mistakes were printed. */
async function mapOf(named: Named, args: MapArguments, terminal: Terminal): Promise<SubgraphMap | number> {
  const report = { format: "text" as const, color: args.color };
  if (named.kind === "configuration" && args.network === undefined) {
    const { diagnostics, model } = await compile(named.path, hostOfTerminal(terminal));
    reportDiagnostics(diagnostics, report, terminal, configOf(named));
    return model ? mapOfModel(model, args.fields) : exitCodes.diagnostics;
  }
  const shared = { cache: true, optimize: "fast", judges: false } as const;
  const options = { ...args, ...shared, gateway: args.ipfs, remote: args };
  const loaded = await orSay(terminal, () => loadNamed(named, options, terminal));
  if (typeof loaded === "number") return loaded;
  reportDiagnostics(loaded.diagnostics, report, terminal);
  if (!loaded.found) return exitCodes.diagnostics;
  return mapOfBuilds(loaded.found, subgraphNameOf(named, terminal.cwd) ?? "a subgraph", args.fields);
}

/** Writes a map, prints it, or compares it with its files; returns the exit code. */
async function deliver(
  drawn: DrawnMap,
  target: MapTarget,
  args: MapArguments,
  { cwd, out, err }: Terminal,
): Promise<number> {
  if (target.output === undefined && target.readme === undefined) {
    out(String(drawn.content));
    return exitCodes.clean;
  }
  if (!args.check) {
    await writeMap(drawn, target, cwd);
    return exitCodes.clean;
  }
  const stale = await staleFiles(drawn, target, cwd);
  for (const file of stale) err(`${visible(file)} is out of date. Run the same command without --check.\n`);
  return stale.length === 0 ? exitCodes.clean : exitCodes.diagnostics;
}

/**
 * The map of builds, one for each chain, with what their handlers store, if the builds contain this.
 * @param withFields whether to show the fields of entities
 */
function mapOfBuilds({ builds }: NamedBuilds, title: string, withFields: boolean): SubgraphMap {
  const maps = builds.map(({ build }) => {
    const facts = build.files.get(mapFactsPath);
    const types = [...build.schema.entities.types.keys()];
    return mapOfManifest(build.manifest, title, types, facts && readMapFacts(facts));
  });
  const [schema] = builds.map(({ build }) => build.schema.entities);
  return {
    title,
    groups: maps.flatMap(({ groups }) => groups),
    entities: [...new Set(maps.flatMap(({ entities }) => entities))],
    ...(withFields && schema && { fields: fieldsOf(schema) }),
  };
}

/** The fields of all entity types, without their ids. */
function fieldsOf({ types }: EntitySchema): ReadonlyMap<string, readonly MapField[]> {
  return new Map(
    [...types.values()].map(({ name, fields }) => [
      name,
      [...fields.values()].filter((field) => field.name !== "id").map((field) => fieldOf(field, types)),
    ]),
  );
}

function fieldOf({ name, text, target, derivedFrom }: Field, types: EntitySchema["types"]): MapField {
  const isDerived = derivedFrom !== undefined;
  // A reference to an interface has no separate box.
  const isBox = target !== undefined && types.has(target);
  return { name, type: text, isDerived, ...(isBox && { references: target }) };
}

/**
 * The map of a configuration, with the entities that each handler stores.
 * @param withFields whether to show the fields of entities
 */
function mapOfModel(model: ModelOutline, withFields = false): SubgraphMap {
  const handlers = new Map(model.modules.flatMap((module) => module.handlers.map((one) => [one.name, one])));
  const listener = (contract: MapContract, source: SourceOutline) => ({
    contract,
    triggers: source.handlers.flatMap((name) => {
      const handler = handlers.get(name);
      if (!handler) return [];
      const { trigger, signature, parameters, calls, entities, creates } = handler;
      return [{ kind: trigger, text: signature, parameters, calls, entities, creates }];
    }),
    entities: [],
  });
  const listening = model.chains.flatMap(({ chain, dataSources, templates }) => [
    ...dataSources.map((source) => {
      const { name, abi, address, startBlock } = source;
      return listener({ name, abi, network: chain, address, startBlock, isTemplate: false }, source);
    }),
    ...templates.map((source) => {
      const { name, abi } = source;
      return listener({ name, abi, network: chain, address: "", isTemplate: true }, source);
    }),
  ]);
  return {
    title: [model.name ?? "a subgraph", model.version].filter((part) => part !== undefined).join("/"),
    groups: groupContracts(listening),
    entities: model.entities.map(({ name }) => name),
    ...(withFields && { fields: new Map(model.entities.map((entity) => [entity.name, ownFields(entity)])) }),
  };
}

/** The fields of an entity without its id and the fields common to all entities of events and calls. */
function ownFields({ fields }: EntityOutline): readonly MapField[] {
  const isOfTrigger = baseFields.every(([name], index) => fields[index]?.name === name);
  return fields.slice(isOfTrigger ? baseFields.length : 1);
}
