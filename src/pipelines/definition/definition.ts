import type { LocatedString, Location } from "../../compiler/source/source.js";
import type { TreeNode } from "../../compiler/source/tree.js";
import type { Settings, SettingValue } from "./settings.js";
import type { Shape } from "./shape.js";
import type { SourceType, sourceShapes, TransformType, transformShapes } from "./shapes.js";
import type { everySink, sharedSettings } from "./sink-settings.js";

/** A source: where rows come from. */
export type SourceDefinition = { readonly [T in SourceType]: Node<T, (typeof sourceShapes)[T]> }[SourceType];

/** A transform, which changes rows on their way. */
export type TransformDefinition = {
  readonly [T in TransformType]: Node<T, (typeof transformShapes)[T]>;
}[TransformType];

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
  /** Its tests, which are read once the columns of its nodes are known. */
  readonly tests?: TreeNode | undefined;
}
