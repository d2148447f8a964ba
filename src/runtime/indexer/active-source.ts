import type { DataSource, Template } from "../../subgraph/runnable/built-subgraph.js";
import type { Entity } from "../../subgraph/schema/entity.js";
import type { CreatedDataSource } from "../store/store.js";
import type { TemplateCode } from "./template-code.js";

/** An active data source: one from the manifest, or one created from a template. */
export interface ActiveSource {
  /** Handlers and ABIs. */
  readonly template: Template & Pick<DataSource, "subgraph">;
  /** The prepared form of the template, shared by all its sources. */
  readonly code: TemplateCode;
  /**
   * Lower-case hex; `undefined` when the source listens to every address. Of a source that listens to another subgraph,
   * the bytes of that deployment's hash.
   */
  readonly address: string | undefined;
  /** First block, inclusive, and last block. */
  readonly startBlock: number;
  readonly endBlock: number;
  /** The block in which its `once` handlers run: its own first block or that of the run, whichever is later. */
  readonly onceBlock: number;
  readonly context: Entity;
  /** The position of its handlers in the order of execution. */
  readonly order: number;
  /** Absent for data sources from the manifest. */
  readonly creation?: CreatedDataSource;
}

/** Whether a source is active at a block. */
export function listensAt(source: ActiveSource, block: number): boolean {
  return block >= source.startBlock && block <= source.endBlock;
}
