import type { LocatedString, Location } from "../../compiler/source/source.js";
import type { TreeNode } from "../../compiler/source/tree.js";
import type { Rows } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";
import type { Settings, SettingValue } from "./settings.js";
import type { Shape } from "./shape.js";
import type {
  LookupType,
  lookupShapes,
  SourceType,
  sourceShapes,
  TransformType,
  transformShapes,
} from "./shapes.js";
import type { everySink, sharedSettings } from "./sink-settings.js";

/** A source: where rows come from. */
export type SourceDefinition = { readonly [T in SourceType]: Node<T, (typeof sourceShapes)[T]> }[SourceType];

/** A transform, which changes rows on their way. */
export type TransformDefinition = {
  readonly [T in TransformType]: Node<T, (typeof transformShapes)[T]>;
}[TransformType];

/** A table in which queries look rows up. */
export type LookupDefinition = { readonly [T in LookupType]: Node<T, (typeof lookupShapes)[T]> }[LookupType];

/** A lookup of a type. */
export type LookupOf<T extends LookupType> = Extract<LookupDefinition, { readonly type: T }>;

/** The rows of a file in which queries look up. */
export interface LookupRows {
  readonly columns: readonly RowColumn[];
  readonly rows: Rows;
  /** A hash of the rows and their columns. */
  readonly hash: string;
}

/** Such a table, with the rows of its file. They are absent until the file is read, and after a reported error. */
export type DefinedLookup = LookupDefinition & { readonly content?: LookupRows | undefined };

/** A sink: where rows go. Its type knows its other settings. */
export interface SinkDefinition extends Omit<SinkDefinitionOf<Shape>, "settings"> {
  readonly settings: Settings<typeof everySink & typeof sharedSettings> & {
    readonly [name: string]: SettingValue | undefined;
  };
}

/** A sink with the settings of its type. */
export type SinkDefinitionOf<S extends Shape> = Node<string, S>;

interface Node<T extends string, S extends Shape> {
  readonly type: T;
  /** The key that references use. */
  readonly name: LocatedString;
  readonly settings: Settings<S>;
}

/**
 * A definition after reading: each part has its required settings, but the parts are not yet checked against each
 * other.
 */
export interface DefinedPipeline {
  /** Whether it has `apiVersion`, as pipelines do, or not, as streams. */
  readonly form: "pipeline" | "stream";
  /** The whole document. */
  readonly at: Location;
  readonly name: LocatedString;
  /** Whether the pipeline ends by itself. */
  readonly job: boolean;
  readonly sources: readonly SourceDefinition[];
  readonly transforms: readonly TransformDefinition[];
  readonly sinks: readonly SinkDefinition[];
  /** Tables in which its queries look rows up; none if absent. */
  readonly lookups?: readonly DefinedLookup[];
  /** Its tests, which are read once the columns of its nodes are known. */
  readonly tests?: TreeNode | undefined;
}
