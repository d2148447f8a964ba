import type { Build } from "./build.js";
import { BundleError } from "./bundle-error.js";
import { type ConfigPlaces, configPlacesPath, readConfigPlaces } from "./config-places.js";
import { type MapFacts, mapFactsPath, readMapFacts } from "./map-facts.js";

/**
 * The files of a build that do not count towards its deployment id. Builds with the same id may differ in
 * them.
 */
export interface CarriedFiles {
  /** Where in a configuration the mappings come from. */
  readonly places?: Uint8Array;
  /** Facts for the map in addition to the manifest. */
  readonly map?: Uint8Array;
}

/**
 * Separates the carried files from a build.
 * @returns the build without them; a damaged map counts as missing
 * @throws BundleError if the places are damaged
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

export function placesIn({ places }: CarriedFiles): ConfigPlaces | undefined {
  return unlessDamaged(() => places && readConfigPlaces(places));
}

/** The facts for the map in addition to the manifest, if known. */
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
