import type { Compilation } from "../../compiler/compilation.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { ModelOutline } from "../../compiler/model/model-outline.js";
import { type Build, networkOf } from "../../subgraph/build.js";
import { collectBuild } from "../../subgraph/collect-build.js";
import { largestMapFacts, type MapFacts, mapFactsPath, printMapFacts } from "../../subgraph/map-facts.js";
import { ReadBuild } from "../../subgraph/runnable/read-build.js";
import { withConfigPlaces } from "../compile/config-places.js";

/** A build with its chain. */
export interface NamedBuild {
  readonly chain: string;
  /** Read once for the whole command. */
  readonly build: ReadBuild;
}

/** The builds of a subgraph that a word names. */
export interface NamedBuilds {
  /** One for each chain, in order. */
  readonly builds: readonly NamedBuild[];
  /** Positions of a configuration's expressions in the builds; empty for any other subgraph. */
  readonly origins: Compilation["origins"];
  /** Absent unless a configuration says it. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** The result of loading a subgraph. */
export interface Loaded {
  /** Mistakes in the compiled files. */
  readonly diagnostics: readonly Diagnostic[];
  /** Absent if the diagnostics have errors. */
  readonly found?: NamedBuilds;
}

/** The builds of a compiled configuration, one for each chain, in its order. */
export function buildsOf({
  builds,
  files,
  origins,
  model,
}: Required<Pick<Compilation, "builds" | "files" | "origins" | "model">>): NamedBuilds {
  return {
    builds: builds.map(({ chain, manifest }) => {
      const placed = withConfigPlaces(collectBuild({ manifest, files }), origins, model);
      return { chain, build: new ReadBuild(withMapFacts(placed, model, chain)) };
    }),
    origins,
    name: model.name,
    version: model.version,
  };
}

/** Builds that this run did not compile from a configuration. @throws BundleError for sources on several networks */
export function madeElsewhere(builds: readonly Build[]): NamedBuilds {
  return {
    builds: builds.map((build) => ({ chain: networkOf(build), build: new ReadBuild(build) })),
    origins: new Map(),
  };
}

/**
 * Adds to a build which handler stores which entities, so that a server draws the same map as the command line.
 * The deployment id does not change. Adds nothing when the facts are too large.
 */
export function withMapFacts(build: Build, model: ModelOutline, chain: string): Build {
  const content = printMapFacts(mapFactsOf(model, chain));
  if (content.length > largestMapFacts) return build;
  return { ...build, files: new Map([...build.files, [mapFactsPath, content]]) };
}

function mapFactsOf({ modules, chains }: ModelOutline, chain: string): MapFacts {
  const handlers = new Map(
    modules.flatMap((module) => module.handlers.map((one) => [one.name, one] as const)),
  );
  const own = chains.filter((one) => one.chain === chain);
  const sources = own.flatMap(({ dataSources, templates }) => [...dataSources, ...templates]);
  return new Map(
    sources.map(({ name, handlers: names }) => {
      const known = names.flatMap((handler) => handlers.get(handler) ?? []);
      return [
        name,
        new Map(
          known.map(({ signature, entities, creates, parameters, calls }) => [
            signature,
            { entities, creates, parameters, calls },
          ]),
        ),
      ];
    }),
  );
}
