import { type DifferingCase, differences } from "../../../scripts/make-differences.mjs";

/**
 * The recorded cases that differ on purpose, from the table of `docs/graph-node.md`. Allowed only where graph-node panics,
 * breaks the connection, answers with an internal error or with SQL, is racy, or depends on a restart.
 */
export const deviations: readonly DifferingCase[] = differences.flatMap(({ cases = [] }) => cases);
