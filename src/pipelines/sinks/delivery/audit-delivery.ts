import type { LedgerEntry } from "../../changes/ledger.js";
import type { RowSchema } from "../../changes/schema.js";
import { placesOf } from "../../changes/source-parts.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import { SinkError } from "../../state/sink-error.js";
import type { StateOwner, StateReading, StateStore } from "../../state/state-store.js";
import type { AuditOptions, SinkAudit, SourceState, SourceStates, StoredRows } from "../audit.js";
import type { SinkOwner, SinkWorld } from "../opening.js";
import { RowError } from "../sink.js";
import type { Carrier } from "./carrier.js";
import { ResentRows } from "./resent-rows.js";

/** A sink that sends its rows, as an audit opens it. */
export interface AuditedDelivery {
  readonly state: StateOwner;
  readonly schema: RowSchema;
  readonly sources: SinkOwner["sources"];
  /** Opens what brings changes to where they go. */
  carrier(state: StateReading): Carrier;
  /** The rows that the sink holds, where they can be read. @param state `undefined` for an audit that does not mend @param most the most differences to list */
  readonly rows?: (
    reading: StateReading,
    state: StateStore | undefined,
    carrier: Carrier,
    most: number,
  ) => StoredRows;
}

/**
 * Opens the state of a sink that sends its rows. An audit that does not mend creates nothing, and does not
 * lock the sink.
 * @throws SinkError
 */
export async function auditDelivery<Result>(
  delivery: AuditedDelivery,
  world: Pick<SinkWorld, "openState" | "readState">,
  { mends, anyColumns, most }: AuditOptions,
  work: (audit: SinkAudit) => Promise<Result>,
): Promise<Result> {
  const { state: owner } = delivery;
  const reading = await world.readState({ ...owner, columns: anyColumns ? undefined : owner.columns });
  if (!reading) return work(new DeliveryAudit(delivery, undefined, undefined, most));
  if (!mends) return work(new DeliveryAudit(delivery, reading, undefined, most));
  const state = await world.openState(delivery.state);
  try {
    return await work(new DeliveryAudit(delivery, state, state, most));
  } catch (error) {
    throw error instanceof RowError ? new SinkError(error.message, false, { cause: error }) : error;
  } finally {
    await state.close();
  }
}

/** The state of a sink, and its rows as far as they can be read. */
class DeliveryAudit implements SinkAudit {
  readonly unproved: readonly string[];
  readonly #delivery: AuditedDelivery;
  readonly #reading: StateReading | undefined;
  readonly #state: StateStore | undefined;
  readonly rows?: () => Promise<StoredRows>;

  /** @param state missing for an audit that does not mend */
  constructor(
    delivery: AuditedDelivery,
    reading: StateReading | undefined,
    state: StateStore | undefined,
    most: number,
  ) {
    this.#delivery = delivery;
    this.#reading = reading;
    this.#state = state;
    const waiting = (reading?.kept.unfinished ?? []).reduce(
      (sum, { changes }) => sum + changes.rows.count,
      0,
    );
    this.unproved =
      waiting === 0
        ? []
        : [
            `Changes that were begun and may not have arrived: ${waiting}. Send them with: graphloom pipeline run`,
          ];
    const { schema } = delivery;
    const { rows } = delivery;
    if (rows && reading) this.rows = async () => rows(reading, state, delivery.carrier(reading), most);
    else if (state) this.rows = async () => new ResentRows(state, delivery.carrier(state), schema);
  }

  async states(): Promise<SourceStates> {
    const reading = this.#reading;
    if (!reading) return new Map();
    const states: (readonly [string, SourceState])[] = [];
    const { positions } = reading.kept;
    for (const source of this.#delivery.sources.flatMap((name) => placesOf(name, positions.keys()))) {
      const position = positions.get(source);
      if (position) states.push([source, { position, ledger: reading.ledger(source) }]);
    }
    return new Map(states);
  }

  async lineage(): Promise<KeptLineage> {
    const kept = this.#reading?.kept;
    return { text: kept?.lineage, isWritten: kept !== undefined && kept.positions.size > 0 };
  }

  async parked(): Promise<readonly ParkedChange[]> {
    return this.#reading?.kept.parked ?? [];
  }

  /** An audit that mends has the state for itself; others compare the state from when they began. */
  async hold(): Promise<void> {}

  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#state?.correct(source, entry);
  }
}
