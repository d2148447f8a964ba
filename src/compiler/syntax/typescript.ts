import type { ts } from "ts-morph";
import { requireAsMorph, typescriptFile } from "./typescript-file.js";

/**
 * The TypeScript that is bundled with ts-morph, required directly from its file. The ts-morph wrapper adds
 * four megabytes of script, and an `import` would first scan all of that for exported names.
 */
export const typescript: typeof ts = requireAsMorph(typescriptFile());
