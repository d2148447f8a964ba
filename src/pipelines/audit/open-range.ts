import type { PipelinePlan, PlannedSource } from "../plan/pipeline-plan.js";
import { PipelineTables } from "../runner/pipeline-tables.js";
import type { Program } from "../runner/program.js";
import type { Source } from "../sources/source.js";
import type { SqlEngine } from "../sql/engine.js";
import { openTable, openTableStore, openTransform } from "../transforms/open-transform.js";
import type { TransformWorld } from "../transforms/opening.js";
import { RangeUnreadError } from "./read-range.js";

/** What reading ranges again needs from outside. */
export interface RangeWorld extends TransformWorld {
  openEngine(isJob?: boolean): Promise<SqlEngine>;
  /** Opens a source for final blocks up to the last one; `undefined` for one that does not keep what it gave. */
  openSource(source: PlannedSource, last: number): Source | undefined;
}

/** Tables in memory are filled again, as far as rows are looked up; those in a database are taken as they are. */
export function openTables(plan: PipelinePlan, world: RangeWorld): PipelineTables {
  return new PipelineTables(plan, {
    openEngine: (isJob) => world.openEngine(isJob),
    openTransform: (planned) => openTransform(planned, world),
    openTable: (planned) => openTable(planned, world),
    openStore: (planned, owner) => openTableStore(planned, { ...owner, isReadOnly: true }, world),
    openTableSource: (source, _finalOnly, to) => kept(source, world.openSource(source, to)),
  });
}

/** Opens what leads to a sink up to a block, or to a row of a job; `undefined` if it is not kept. */
export function openRange(
  program: Program,
  source: PlannedSource,
  to: number,
  world: RangeWorld,
): Source | undefined {
  if (!program.open) return world.openSource(source, to);
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
