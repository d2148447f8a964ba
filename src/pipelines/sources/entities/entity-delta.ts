import type { Row } from "../../../store/database/database.js";
import type { RowChange } from "../../../store/tables/feed.js";
import type { Version } from "../../../store/tables/table-follower.js";

/** Versions that were removed and versions that were added; a version that ends is in both. */
export interface VersionDelta {
  readonly minus: readonly Version[];
  readonly plus: readonly Version[];
}

/** Which versions of an entity to read. */
export interface VersionChoice {
  /** Whether ended versions stay. */
  readonly withHistory: boolean;
  /** Whether versions never end, so that each change belongs to the block in which its version began. */
  readonly immutable: boolean;
  /** The vid of the last version that was read before; absent if all were. Later ones are read with their page. */
  readonly after?: string | undefined;
  /** The vid of the last earlier version that is not read; absent if all are. */
  readonly since?: string | undefined;
}

/** Computes the effect of changes on an entity's versions, in order. */
export function versionDelta(changes: readonly RowChange[], choice: VersionChoice): VersionDelta {
  const { withHistory, after, since } = choice;
  const last = after === undefined ? undefined : BigInt(after);
  const first = since === undefined ? undefined : BigInt(since);
  const isTaken = ({ row }: Version): boolean =>
    (last === undefined || vidOf(row) <= last) && (first === undefined || vidOf(row) > first);
  const deltas = changes.map((change) =>
    withHistory ? historyDelta(change, choice) : currentDelta(change, choice),
  );
  return {
    minus: deltas.flatMap(({ minus }) => minus).filter(isTaken),
    plus: deltas.flatMap(({ plus }) => plus).filter(isTaken),
  };
}

/** Only valid versions count. */
function currentDelta({ block, old, new: fresh }: RowChange, { immutable }: VersionChoice): VersionDelta {
  const open = (row: Row): Version => ({ row, from: immutable ? block : beginning(row) });
  return { minus: old ? [open(old)] : [], plus: fresh ? [open(fresh)] : [] };
}

/** A version that ends, or that a reorganisation reopens, exists before and after, with different blocks. */
function historyDelta({ block, old, new: fresh }: RowChange, { immutable }: VersionChoice): VersionDelta {
  const beginsHere = (row: Row): boolean => immutable || beginning(row) === block;
  const open = (row: Row): Version => ({ row, from: immutable ? block : beginning(row) });
  const ended = (row: Row): Version => ({ ...open(row), to: block });
  const begins = (row: Row): VersionDelta => ({ minus: [], plus: [open(row)] });
  const vanishes = (row: Row): VersionDelta => ({ minus: [open(row)], plus: [] });
  const ends = (row: Row): VersionDelta => ({ minus: [open(row)], plus: [ended(row)] });
  const reopens = (row: Row): VersionDelta => ({ minus: [ended(row)], plus: [open(row)] });
  if (old && fresh)
    return vidOf(fresh) > vidOf(old)
      ? joined(ends(old), begins(fresh))
      : joined(vanishes(old), reopens(fresh));
  if (fresh) return beginsHere(fresh) ? begins(fresh) : reopens(fresh);
  if (old) return beginsHere(old) ? vanishes(old) : ends(old);
  return { minus: [], plus: [] };
}

function joined(one: VersionDelta, other: VersionDelta): VersionDelta {
  return { minus: [...one.minus, ...other.minus], plus: [...one.plus, ...other.plus] };
}

/** The block in which a version began: the upper half of its vid. */
function beginning(row: Row): number {
  return Number(vidOf(row) >> 32n);
}

function vidOf({ vid }: Row): bigint {
  return BigInt(vid ?? 0);
}
