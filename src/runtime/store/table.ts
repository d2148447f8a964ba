import type { Entity } from "../../subgraph/schema/entity.js";
import type { EntityType } from "../../subgraph/schema/entity-schema.js";
import { keysOf } from "./references.js";

/** A version of an entity in the in-memory store. */
export interface Row {
  readonly table: Table;
  readonly id: string;
  readonly entity: Entity;
  /** First block in which it is valid, and its sequence number there. */
  readonly from: number;
  readonly sequence: number;
  /** Causality region: that of a file data source, or 0 for the chain. */
  readonly region: number;
  /** First block in which it is no longer valid; `undefined` for the current version. */
  to: number | undefined;
}

/** The versions of one type's entities. */
export class Table {
  readonly type: EntityType;
  /** All versions, in the order in which they were written. */
  readonly rows: Row[] = [];
  /** By id. */
  readonly current = new Map<string, Row>();
  /** An index of the current versions by field, referenced id and own id, built per field on first use. */
  readonly #references = new Map<string, Map<string, Map<string, Row>>>();

  constructor(type: EntityType) {
    this.type = type;
  }

  /** Makes a row the current version. */
  open(row: Row): void {
    this.current.set(row.id, row);
    for (const [field, index] of this.#references) addTo(index, field, row);
  }

  /** Makes a row no longer the current version. */
  close(row: Row): void {
    this.current.delete(row.id);
    for (const [field, index] of this.#references) {
      for (const key of keysOf(row.entity.get(field))) removeFrom(index, key, row.id);
    }
  }

  /**
   * The current versions whose field refers to an id or lists it, in any order. The first query of a field builds its
   * index.
   */
  related(field: string, id: string): Iterable<Row> {
    return this.#index(field).get(id)?.values() ?? [];
  }

  #index(field: string): Map<string, Map<string, Row>> {
    const known = this.#references.get(field);
    if (known) return known;
    const index = new Map<string, Map<string, Row>>();
    for (const row of this.current.values()) addTo(index, field, row);
    this.#references.set(field, index);
    return index;
  }
}

function addTo(index: Map<string, Map<string, Row>>, field: string, row: Row): void {
  for (const key of keysOf(row.entity.get(field))) {
    const found = index.get(key);
    if (found) found.set(row.id, row);
    else index.set(key, new Map([[row.id, row]]));
  }
}

function removeFrom(index: Map<string, Map<string, Row>>, key: string, id: string): void {
  const found = index.get(key);
  found?.delete(id);
  if (found?.size === 0) index.delete(key);
}
