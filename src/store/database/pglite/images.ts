import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { readMigrations } from "../migrate.js";

/**
 * Where images of new databases are kept, with our own tables in them. To make a new one takes PGlite seconds, to load
 * one that was made before a fraction of that.
 */
export interface ImageStore {
  /** What was put with a name, whole and as it was; nothing when it is not there any more, or broken. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Keeps an image, as long as there is room. */
  put(name: string, image: Uint8Array): Promise<void>;
}

let known: string | undefined;

/** The name of the image of a new database: another PGlite has another, since its files may differ, other tables, too. */
export function imageName(): string {
  known ??= `new database of PGlite ${pgliteVersion()} with tables ${tablesDigest()}`;
  return known;
}

function tablesDigest(): string {
  const scripts = JSON.stringify(readMigrations());
  return createHash("sha256").update(scripts).digest("hex").slice(0, 16);
}

function pgliteVersion(): string {
  // The package does not export its description.
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const { version } = JSON.parse(readFileSync(join(entry, "../../package.json"), "utf8"));
  return String(version);
}
