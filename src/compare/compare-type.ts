import type { EntitySource } from "./entity-page.js";
import { EntityReader } from "./entity-reader.js";
import { compareIds } from "./id-order.js";
import type { ComparedType } from "./match-schemas.js";
import { addBoth, addOnly, type TallyOptions, type TypeTally } from "./tally.js";

/**
 * Compares the entities of a type. Both sides are read in the order of their ids and merged like sorted lists.
 * @param tally the results so far; the comparison continues after its last id, and updates it
 * @param onPage called before the next page of a side is read, when the tally is consistent
 * @throws EndpointFailure when a side cannot be read
 */
export async function compareType(
  type: ComparedType,
  [left, right]: readonly [EntitySource, EntitySource],
  tally: TypeTally,
  options: TallyOptions,
  onPage: () => Promise<void>,
): Promise<void> {
  const readers = [left, right].map((source) => new EntityReader(source, tally.last ?? undefined));
  const [one, other] = readers as [EntityReader, EntityReader];
  for (;;) {
    if (one.isEmpty || other.isEmpty) {
      await onPage();
      await Promise.all(readers.map((reader) => reader.fill()));
    }
    const [mine, theirs] = [one.next, other.next];
    if (!mine && !theirs) break;
    const order = !mine ? 1 : !theirs ? -1 : compareIds(type.order, mine.id, theirs.id);
    if (mine && order < 0) addOnly(tally, "left", mine, options);
    else if (theirs && order > 0) addOnly(tally, "right", theirs, options);
    else if (mine && theirs) addBoth(tally, type, mine, theirs, options);
    if (order <= 0) one.take();
    if (order >= 0) other.take();
  }
  tally.isDone = true;
}
