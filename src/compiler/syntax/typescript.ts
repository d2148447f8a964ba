import type { ts } from "ts-morph";
import { requireAsMorph, typescriptFile } from "./typescript-file.js";

/**
 * The TypeScript bundled with ts-morph, required directly from its file. The ts-morph wrapper would add four
 * megabytes of script, and an `import` would first scan everything for exports.
 */
export const typescript: typeof ts = requireAsMorph(typescriptFile());
