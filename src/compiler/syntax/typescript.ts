import type { ts } from "ts-morph";
import { requireAsMorph, typescriptFile } from "./typescript-file.js";

/**
 * The TypeScript that is bundled with ts-morph. It is required from its file: ts-morph itself, a wrapper, is
 * another four megabytes of script, and an `import` would scan all of it for names of exports first.
 */
export const typescript: typeof ts = requireAsMorph(typescriptFile());
