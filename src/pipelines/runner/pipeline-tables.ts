import { lineageOf, lineageText } from "../plan/lineage.js";
import { nodesBefore } from "../plan/nodes-before.js";
import type {
  PipelinePlan,
  PlannedSink,
  PlannedSource,
  PlannedTable,
  TableFill,
} from "../plan/pipeline-plan.js";
import type { Source } from "../sources/source.js";
import type { TableOwner, TableStore } from "../transforms/dynamic-table/table-store.js";
import type { LookupTable } from "../transforms/lookup-table.js";
import { FilledRows } from "./filled-rows.js";
import { FilledTable } from "./filled-table.js";
import { openProgram, type Program, type ProgramWorld } from "./program.js";

/** The outside world of a pipeline's tables. */
export interface TablesWorld extends ProgramWorld {
  /**
   * Opens the source of a table that a query fills.
   * @param finalOnly whether to read only final blocks
   * @param to a block that must be read
   */
  openTableSource(source: PlannedSource, finalOnly: boolean, to: number): Source;
  /** Opens the store of such a table; `undefined` for one in memory. @throws SinkError */
  openStore(planned: PlannedTable, owner: Omit<TableOwner, "isReadOnly">): Promise<TableStore | undefined>;
}

/**
 * The dynamic tables of a pipeline. Each program opens for itself the tables that others fill. All sinks of a
 * run share a table that a query fills, so that its source is read once.
 */
export class PipelineTables {
  readonly #plan: PipelinePlan;
  readonly #world: TablesWorld;
  readonly #filled = new Map<string, Promise<FilledTable>>();

  constructor(plan: PipelinePlan, world: TablesWorld) {
    this.#plan = plan;
    this.#world = world;
  }

  /** The outside world of a pipeline's programs. */
  get programWorld(): ProgramWorld {
    const { openEngine, openTransform, openLookup } = this.#world;
    return {
      openEngine: (isJob) => openEngine(isJob),
      openTransform: (planned) => openTransform(planned),
      openTable: (planned) => this.#open(planned),
      openLookup: (planned) => openLookup(planned),
    };
  }

  async close(): Promise<void> {
    for (const table of await Promise.allSettled(this.#filled.values()))
      if (table.status === "fulfilled") await table.value.close();
  }

  async #open(planned: PlannedTable): Promise<LookupTable> {
    const { name, fill } = planned;
    if (!fill) return this.#world.openTable(planned);
    const opening = this.#filled.get(name) ?? this.#openFilled(planned, fill);
    this.#filled.set(name, opening);
    try {
      const table = await opening;
      return {
        prepare: (place) => table.prepare(place),
        since: (value) => table.since(value),
        versions: (key) => table.versions(key),
        undone: () => table.undone(),
        // Others may use it.
        close: async () => undefined,
      };
    } catch (error) {
      this.#filled.delete(name);
      throw error;
    }
  }

  async #openFilled(planned: PlannedTable, { query, source }: TableFill): Promise<FilledTable> {
    const { settings } = source.definition;
    const lineage = lineageText(lineageOf(planned.name, this.#plan));
    const finalOnly = isFinalOnly(planned.name, this.#plan);
    return new FilledTable({
      name: planned.name,
      source: source.name,
      end: "end_block" in settings ? settings.end_block?.value : undefined,
      openProgram: () => openFill(this.#plan, query, this.programWorld),
      rows: FilledRows.of(planned),
      openSource: (to) => this.#world.openTableSource(source, finalOnly, to),
      store: await this.#world.openStore(planned, { flow: this.#plan.name, lineage }),
    });
  }
}

/** Opens the query that fills a table, as what leads to a sink. */
export function openFill(
  plan: PipelinePlan,
  query: TableFill["query"],
  world: ProgramWorld,
): Promise<Program> {
  const [any] = plan.sinks;
  // A plan needs at least one sink; its target does not matter for the rows that lead to a table.
  const sink = { ...(any as PlannedSink), name: query.name, from: query.name, schema: query.schema };
  return openProgram({ ...plan, transforms: [...plan.transforms, query] }, sink, world);
}

/** Whether all sinks that use a table, directly or through other tables, accept only rows of final blocks. */
function isFinalOnly(table: string, plan: PipelinePlan): boolean {
  const queries = (plan.tables ?? []).flatMap(({ fill }) => fill?.query ?? []);
  const nodes = [...plan.sources, ...plan.transforms, ...queries];
  const looksUp = (from: string): boolean => {
    const before = nodesBefore(from, { transforms: [...plan.transforms, ...queries] });
    return nodes.some(({ name, lookups }) => before.has(name) && lookups?.includes(table));
  };
  return (
    plan.sinks.every(
      ({ from, definition }) => definition.settings.finalized?.value === true || !looksUp(from),
    ) && queries.every(({ name }) => name === table || !looksUp(name) || isFinalOnly(name, plan))
  );
}
