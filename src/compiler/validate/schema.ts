import { createRequire } from "node:module";

/** The part of a schema that messages quote. */
export interface SchemaPart {
  readonly type?: unknown;
  readonly errorMessage?: unknown;
  /** The same for an object with a fixed set of keys. */
  readonly expectation?: unknown;
  readonly description?: unknown;
  readonly examples?: readonly unknown[];
  /** Whether graphloom's own messages about violations of this part are better than the schema's. */
  readonly editorOnly?: boolean;
  readonly propertyNames?: SchemaPart;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
}

/** The configuration's schema, which editors also use. It is two folders up from both `src` and `dist`. */
export const configSchema = createRequire(import.meta.url)(
  "../../../schemas/config-v1.schema.json",
) as SchemaPart;

/** The subschema at a path such as `#/$defs/instance`. */
export function schemaAt(path: string): SchemaPart | undefined {
  let part: unknown = configSchema;
  for (const key of path.split("/").slice(1)) {
    part = typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined;
  }
  return part as SchemaPart | undefined;
}
