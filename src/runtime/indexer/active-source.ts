import type { Template } from "../../subgraph/runnable/built-subgraph.js";
import type { Entity } from "../../subgraph/schema/entity.js";
import type { CreatedDataSource } from "../store/store.js";
import type { TemplateCode } from "./template-code.js";

/** An active data source: one of the manifest, or one created from a template. */
export interface ActiveSource {
  /** Handlers and ABIs. */
  readonly template: Template;
  /** The prepared form of the template, shared by all its sources. */
  readonly code: TemplateCode;
  /** Lower-case hex; absent when it listens to every address. */
  readonly address: string | undefined;
  /** First block, inclusive, and last block. */
  readonly startBlock: number;
  readonly endBlock: number;
  /** The block in which it does what it does once: its first, or the run's where that is later. */
  readonly onceBlock: number;
  readonly context: Entity;
  /** Order in which handlers run. */
  readonly order: number;
  /** Absent for data sources of the manifest. */
  readonly creation?: CreatedDataSource;
}

/** Whether a source is active at a block. */
export function listensAt(source: ActiveSource, block: number): boolean {
  return block >= source.startBlock && block <= source.endBlock;
}
