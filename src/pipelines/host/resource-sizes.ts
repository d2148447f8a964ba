import type { resourceSizeNames } from "../definition/shapes.js";

/** What a pipeline of a size may use. */
export interface ResourceLimits {
  /** Megabytes of memory of its process: the heap, all SQL engines, and what else there is. */
  readonly memory: number;
  /** Megabytes of JavaScript's heap. */
  readonly heap: number;
  /** Megabytes that each SQL engine may use; every sink has one. */
  readonly sql: number;
}

/** The limits of each resource size. */
export const resourceSizes = {
  xs: { memory: 1_024, heap: 256, sql: 256 },
  s: { memory: 2_048, heap: 512, sql: 512 },
  m: { memory: 4_096, heap: 1_024, sql: 1_024 },
  l: { memory: 8_192, heap: 2_048, sql: 2_048 },
  xl: { memory: 16_384, heap: 4_096, sql: 4_096 },
  xxl: { memory: 32_768, heap: 8_192, sql: 8_192 },
  "mem.l": { memory: 16_384, heap: 4_096, sql: 4_096 },
  "mem.xl": { memory: 32_768, heap: 8_192, sql: 8_192 },
  "mem.xxl": { memory: 65_536, heap: 16_384, sql: 16_384 },
} as const satisfies Readonly<Record<(typeof resourceSizeNames)[number], ResourceLimits>>;

/** The name of a resource size. */
export type ResourceSize = keyof typeof resourceSizes;

/** Whether a text names a resource size. */
export function isResourceSize(text: string): text is ResourceSize {
  return Object.hasOwn(resourceSizes, text);
}
