import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { readMigrations } from "../migrate.js";

/**
 * Stores images of new databases that already contain our tables. PGlite takes seconds to create a database, and a
 * fraction of that to load an image.
 */
export interface ImageStore {
  /** Returns the image with a name, intact; `undefined` if it is gone or broken. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Stores an image if there is space. */
  put(name: string, image: Uint8Array): Promise<void>;
}

let known: string | undefined;

/** The name of a new database's image. It depends on the PGlite version, whose files may differ, and on our tables. */
export function imageName(): string {
  known ??= `new database of PGlite ${pgliteVersion()} with tables ${tablesDigest()}`;
  return known;
}

function tablesDigest(): string {
  const scripts = JSON.stringify(readMigrations());
  return createHash("sha256").update(scripts).digest("hex").slice(0, 16);
}

function pgliteVersion(): string {
  // The package does not export its package.json.
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const { version } = JSON.parse(readFileSync(join(entry, "../../package.json"), "utf8"));
  return String(version);
}
