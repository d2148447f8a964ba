import type { Parameters } from "../answers/parameters.js";

/** JSON Schema, as in OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>;

/** An operation, as the OpenAPI document describes it. All are `GET`. */
export interface Operation {
  readonly path: string;
  readonly id: string;
  readonly tag: "blocks" | "feeds" | "market" | "status";
  readonly summary: string;
  readonly description?: string;
  /** Parts of the path. */
  readonly pathParameters?: Parameters;
  readonly parameters: Parameters;
  /** Pairs of parameters that exclude each other: 422. */
  readonly conflicts?: readonly (readonly [string, string])[];
  /** Other parameters that a parameter requires: patterns by name. Without them: 422. */
  readonly requires?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The name of the schema of a successful answer. */
  readonly answer: string;
  /** The meaning of failure statuses, besides those of every operation. */
  readonly failures: Readonly<Record<number, string>>;
}
