import type { Template } from "../../subgraph/runnable/built-subgraph.js";
import type { Entity } from "../../subgraph/schema/entity.js";
import type { CreatedDataSource } from "../store/store.js";
import type { TemplateCode } from "./template-code.js";

/** A data source that listens: one of the manifest, or one that was created from a template. */
export interface ActiveSource {
  /** Its handlers and ABIs. */
  readonly template: Template;
  /** What is prepared of these once for all sources of the template. */
  readonly code: TemplateCode;
  /** Lower-case hex; absent when it listens to every address. */
  readonly address: string | undefined;
  /** First and last block it listens to. */
  readonly startBlock: number;
  readonly endBlock: number;
  /** The block in which it does what it does once: its first, or the run's where that is later. */
  readonly onceBlock: number;
  readonly context: Entity;
  /** Handlers run in this order. */
  readonly order: number;
  /** Absent for those of the manifest. */
  readonly creation?: CreatedDataSource;
}

/** Whether a source listens to a block. */
export function listensAt(source: ActiveSource, block: number): boolean {
  return block >= source.startBlock && block <= source.endBlock;
}
