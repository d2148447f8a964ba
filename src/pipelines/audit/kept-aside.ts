import type { Changes } from "../changes/net-changes.js";
import { pickChanges } from "../changes/pick-changes.js";
import { joinRows, noRows, type Rows, textOfRow } from "../changes/rows.js";
import type { RowSchema } from "../changes/schema.js";
import type { BlockRange } from "../sinks/audit.js";
import { keyIndexes, keyOf, type ParkedChange } from "../state/parked-change.js";

/** Changes of a range of a source. */
interface TakenOut {
  readonly source: string;
  readonly range: BlockRange;
  readonly changes: Changes;
}

/**
 * A sink's parked changes during an audit. Rows of their keys are not expected in the sink: they may not even fit
 * into the table of expected rows. A key may be written or parked while the audit reads.
 */
export class KeptAside {
  readonly #schema: RowSchema;
  readonly #key: readonly number[];
  #parked: readonly ParkedChange[] = [];
  #keys: ReadonlySet<string> = new Set();
  readonly #taken: TakenOut[] = [];

  constructor(schema: RowSchema) {
    this.#schema = schema;
    this.#key = keyIndexes(schema);
  }

  /** The parked and dropped changes that were read last. */
  get parked(): readonly ParkedChange[] {
    return this.#parked;
  }

  /** Updates the parked and dropped changes. */
  update(parked: readonly ParkedChange[]): void {
    this.#parked = parked;
    this.#keys = new Set(parked.map((change) => keyOf(change, this.#schema)));
  }

  /** The changes whose keys are not parked. */
  without(changes: Changes): Changes {
    return this.#keys.size === 0 ? changes : this.#split(changes)[0];
  }

  /** The same for a range that is expected in the sink: the others are noted, in case that they are written meanwhile. */
  taken(source: string, range: BlockRange, changes: Changes): Changes {
    if (this.#keys.size === 0) return changes;
    const [others, own] = this.#split(changes);
    if (own.rows.count > 0) this.#taken.push({ source, range, changes: own });
    return others;
  }

  /** Changes that were taken out, and whose keys are no longer parked. */
  *written(): Generator<TakenOut, void, void> {
    for (const { source, range, changes } of this.#taken)
      yield { source, range, changes: this.#split(changes)[0] };
  }

  /** The rows of a source that the sink still holds: those before the first change of each parked key. */
  held(source: string): Changes {
    const seen = new Set<string>();
    const rows: Rows[] = [];
    for (const change of this.#parked) {
      const key = keyOf(change, this.#schema);
      if (change.source !== source || seen.has(key)) continue;
      seen.add(key);
      const before = change.operation === "d" ? change.row : change.before;
      if (before) rows.push(before);
    }
    const width = this.#schema.columns.length;
    return {
      schema: this.#schema,
      operations: rows.map(() => "i"),
      rows: joinRows(rows, width),
      replaced: noRows(width),
      overwritten: 0,
    };
  }

  /** @returns the changes of keys that are not parked, and the others */
  #split(changes: Changes): readonly [Changes, Changes] {
    const [others, own]: [number[], number[]] = [[], []];
    for (let row = 0; row < changes.rows.count; row += 1)
      (this.#keys.has(textOfRow(changes.rows, row, this.#key)) ? own : others).push(row);
    return own.length === 0
      ? [changes, pickChanges(changes, [])]
      : [pickChanges(changes, others), pickChanges(changes, own)];
  }
}
