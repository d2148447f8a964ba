import type { LedgerEntry } from "../../changes/ledger.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import { SinkError } from "../../state/sink-error.js";
import { ledgerRow, type VersionState } from "../../state/version-state.js";
import type { AuditOptions, AuditSink, SinkAudit, SourceStates } from "../audit.js";
import { quotedName } from "../clickhouse-server.js";
import { rowsOfLedgers } from "../compared-parts.js";
import type { Scratch } from "../scratch.js";
import {
  type ClickHouseSinkOptions,
  keptLineage,
  refuseRunningInserts,
  sinkErrorOf,
  stateOf,
} from "./clickhouse-sink.js";
import { takeBack } from "./interrupted-batch.js";
import { clickHouseOptions } from "./open-clickhouse.js";
import type { ClickhouseShape } from "./shape.js";
import { StoredTable } from "./stored-table.js";
import { existingTable, quotedTable, type TargetTable } from "./target-table.js";

/** Opens a table of a ClickHouse server for an audit. An audit that mends takes the table over, as another run would. @throws SinkError */
export const auditClickHouse: AuditSink<ClickhouseShape> = async (planned, owner, world, options, work) => {
  const target = await clickHouseOptions(planned, owner, world);
  const scratch = await world.openScratch();
  try {
    return await work(new ClickHouseAudit(target, owner.sources, scratch, options));
  } catch (error) {
    throw sinkErrorOf(error);
  } finally {
    await scratch.close();
    await target.server.close();
  }
};

class ClickHouseAudit implements SinkAudit {
  readonly #target: ClickHouseSinkOptions;
  readonly #sources: readonly string[];
  readonly #scratch: Scratch;
  readonly #options: AuditOptions;
  readonly #state: VersionState;
  readonly #prefix: string;
  #rows: StoredTable | undefined;
  /** The last version that rows have. */
  #committed = 0;

  constructor(
    target: ClickHouseSinkOptions,
    sources: readonly string[],
    scratch: Scratch,
    options: AuditOptions,
  ) {
    this.#target = target;
    this.#sources = sources;
    this.#scratch = scratch;
    this.#options = options;
    const { state, prefix } = stateOf(target);
    this.#state = state;
    this.#prefix = prefix;
  }

  async states(): Promise<SourceStates> {
    if (!(await this.#state.exists())) return new Map();
    const kept = await this.#state.read();
    this.#committed = Math.max(this.#committed, kept?.committed ?? 0);
    const states = [];
    for (const [source, position] of kept?.positions ?? [])
      states.push([source, { position, ledger: await this.#state.ledger(source) }] as const);
    return new Map(states);
  }

  async lineage(): Promise<KeptLineage> {
    if (!(await this.#state.exists())) return { text: undefined, isWritten: false };
    return keptLineage(this.#target, this.#state);
  }

  async parked(): Promise<readonly ParkedChange[]> {
    return (await this.#state.exists()) ? this.#state.parked() : [];
  }

  async rows(): Promise<StoredTable> {
    const { server, table, schema } = this.#target;
    const found = await existingTable(server, this.#target);
    if (!found)
      throw new SinkError(
        `Table ${table.database}.${table.name} does not exist, although this pipeline has written it. Write it again with: graphloom pipeline run`,
        false,
      );
    const rows = rowsOfLedgers(await this.states());
    const { mends, most } = this.#options;
    this.#rows = new StoredTable(
      { server, state: this.#state, table: found, prefix: this.#prefix },
      { schema, sources: this.#sources, scratch: this.#scratch, rows, mends, most },
    );
    return this.#rows;
  }

  async hold(): Promise<void> {
    const { server } = this.#target;
    const table = await existingTable(server, this.#target);
    const kept = await this.#state.read();
    if (!table || !kept) return;
    await refuseRunningInserts(server, this.#prefix);
    if (this.#options.mends) {
      this.#committed = await takeBack(server, table, kept, `${this.#state.token}-`);
      await this.#state.takeOver(kept.positions, this.#committed);
    } else this.#committed = kept.committed;
    this.#rows?.from(this.#committed, () => this.#checkUnwritten(table));
  }

  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#state.write([ledgerRow(source, entry)], this.#rows?.version ?? this.#committed);
  }

  /** Makes sure that the table has not changed during the comparison. */
  async #checkUnwritten(table: TargetTable): Promise<void> {
    const kept = await this.#state.read();
    const version = quotedName(table.rowColumns.version);
    const [found] = await this.#target.server.query(
      `SELECT toString(max(${version})) AS last FROM ${quotedTable(table)}`,
    );
    if (kept?.committed === this.#committed && Number(found?.last ?? 0) <= this.#committed) return;
    throw new SinkError(
      `Table ${table.database}.${table.name} holds rows of a batch that is being written, or was interrupted. Stop the pipeline, or run it once more, and try again.`,
      true,
    );
  }
}
