import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * Where images of new databases are kept. To make a new one takes PGlite seconds, to load one that was made before a
 * fraction of that.
 */
export interface ImageStore {
  /** What was put with a name, whole and as it was; nothing when it is not there any more, or broken. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Keeps an image, as long as there is room. */
  put(name: string, image: Uint8Array): Promise<void>;
}

let known: string | undefined;

/** The name of the image of a new database: another PGlite has another, since its files may differ. */
export function imageName(): string {
  known ??= `new database of PGlite ${pgliteVersion()}`;
  return known;
}

function pgliteVersion(): string {
  // The package does not export its description.
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const { version } = JSON.parse(readFileSync(join(entry, "../../package.json"), "utf8"));
  return String(version);
}
