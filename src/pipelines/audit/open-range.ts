import type { PipelinePlan, PlannedSource } from "../plan/pipeline-plan.js";
import { PipelineTables } from "../runner/pipeline-tables.js";
import type { Program } from "../runner/program.js";
import type { Source } from "../sources/source.js";
import type { SqlEngine } from "../sql/engine.js";
import { openLookup, openTable, openTableStore, openTransform } from "../transforms/open-transform.js";
import type { TransformWorld } from "../transforms/opening.js";
import { RangeUnreadError } from "./read-range.js";

/** The outside world for reading ranges again. */
export interface RangeWorld extends TransformWorld {
  openEngine(isJob?: boolean): Promise<SqlEngine>;
  /** Opens a source for final blocks up to the last one; `undefined` if the source does not keep its rows. */
  openSource(source: PlannedSource, last: number, part?: string): Source | undefined;
}

/** Tables in memory are filled again up to the rows that look values up; tables in a database are used unchanged. */
export function openTables(plan: PipelinePlan, world: RangeWorld): PipelineTables {
  return new PipelineTables(plan, {
    openEngine: (isJob) => world.openEngine(isJob),
    openTransform: (planned) => openTransform(planned, world),
    openTable: (planned) => openTable(planned, world),
    openLookup: (planned) => openLookup(planned, world),
    openStore: (planned, owner) => openTableStore(planned, { ...owner, isReadOnly: true }, world),
    openTableSource: (source, _finalOnly, to) => kept(source, world.openSource(source, to)),
  });
}

/** Opens the path to a sink up to a block, or to a row of a job; `undefined` if its rows are not kept. */
export function openRange(
  program: Program,
  source: PlannedSource,
  to: number,
  world: RangeWorld,
  part = source.name,
): Source | undefined {
  if (!program.open) return world.openSource(source, to, part);
  return program.open((one) => {
    const { settings } = one.definition;
    const end = "end_block" in settings ? settings.end_block?.value : undefined;
    return kept(one, end === undefined ? undefined : world.openSource(one, end));
  }, to);
}

/** @throws RangeUnreadError if there is no source */
function kept({ name }: PlannedSource, source: Source | undefined): Source {
  if (source) return source;
  throw new RangeUnreadError(`Source ${name} does not keep what it gave.`);
}
