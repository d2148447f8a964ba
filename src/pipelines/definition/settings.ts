import type { Located, LocatedString } from "../../compiler/source/source.js";
import type { TreeNode } from "../../compiler/source/tree.js";
import type { SettingType, Shape } from "./shape.js";

/** A block to start at. */
export type StartAt = "earliest" | "latest" | number;

/** An entry of a map, with the locations of its name and its value. */
export interface Named<T> {
  readonly name: LocatedString;
  readonly value: Located<T>;
}

/** The value of a setting after reading, by its type. */
interface Values {
  readonly string: LocatedString;
  readonly boolean: Located<boolean>;
  readonly count: Located<number>;
  /** Milliseconds. */
  readonly duration: Located<number>;
  readonly start: Located<StartAt>;
  readonly names: readonly LocatedString[];
  readonly strings: readonly Named<string>[];
  readonly overrides: readonly Named<string | null>[];
  readonly any: TreeNode;
}

export type SettingValue<T extends SettingType = SettingType> = Values[T];

/** The settings of an object by name, without absent ones and ones with a reported error. */
export type Settings<S extends Shape> = {
  readonly [Name in keyof S]?: SettingValue<S[Name]["type"]>;
};
