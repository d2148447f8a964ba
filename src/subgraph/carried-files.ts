import type { Build } from "./build.js";
import { BundleError } from "./bundle-error.js";
import { type ConfigPlaces, configPlacesPath, readConfigPlaces } from "./config-places.js";
import { type MapFacts, mapFactsPath, readMapFacts } from "./map-facts.js";

/** What a build brings that is no part of its deployment's id: builds that are the same may differ in it. */
export interface CarriedFiles {
  /** Where the mappings come from in a configuration. */
  readonly places?: Uint8Array;
  /** What the map shows beside the manifest. */
  readonly map?: Uint8Array;
}

/**
 * Takes what a build brings out of it.
 * @returns the build without it; a map that is damaged is as good as not there
 * @throws BundleError when the places are damaged
 */
export function takeCarried(build: Build): { readonly build: Build; readonly carried: CarriedFiles } {
  const files = new Map(build.files);
  const places = files.get(configPlacesPath);
  const map = files.get(mapFactsPath);
  files.delete(configPlacesPath);
  files.delete(mapFactsPath);
  if (places) readConfigPlaces(places);
  return {
    build: { ...build, files },
    carried: { ...(places && { places }), ...(map && mapIn({ map }) && { map }) },
  };
}

/** Where the mappings come from, as far as it is known. */
export function placesIn({ places }: CarriedFiles): ConfigPlaces | undefined {
  return unlessDamaged(() => places && readConfigPlaces(places));
}

/** What the map shows beside the manifest, as far as it is known. */
export function mapIn({ map }: CarriedFiles): MapFacts | undefined {
  return unlessDamaged(() => map && readMapFacts(map));
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof BundleError) return undefined;
    throw error;
  }
}
