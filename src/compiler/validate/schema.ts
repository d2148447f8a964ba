import { createRequire } from "node:module";

/** A part of the schema, as far as messages quote it. */
export interface SchemaPart {
  readonly errorMessage?: unknown;
  readonly description?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaPart>>;
}

/** The schema of a configuration, which editors use too. It lies beside both `src` and `dist`, two folders up. */
export const configSchema = createRequire(import.meta.url)(
  "../../../schemas/config-v1.schema.json",
) as SchemaPart;

/** The part of the schema at a path such as `#/$defs/instance`. */
export function schemaAt(path: string): SchemaPart | undefined {
  let part: unknown = configSchema;
  for (const key of path.split("/").slice(1)) {
    part = typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined;
  }
  return part as SchemaPart | undefined;
}
