import type { ts } from "ts-morph";
import { requireAsMorph, typescriptFile } from "./typescript-file.js";

/**
 * TypeScript as ts-morph carries it. It is taken from its file: ts-morph itself, which only wraps it, is another four
 * megabytes of script, and importing rather than requiring it has all of them scanned for names of exports first.
 */
export const typescript: typeof ts = requireAsMorph(typescriptFile());
