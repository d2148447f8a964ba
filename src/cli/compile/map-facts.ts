import type { ModelOutline } from "../../compiler/model/model-outline.js";
import type { Build } from "../../subgraph/build.js";
import { largestMapFacts, type MapFacts, mapFactsPath, printMapFacts } from "../../subgraph/map-facts.js";

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
