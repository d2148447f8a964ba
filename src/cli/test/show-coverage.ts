import { visible } from "../../base/visible.js";
import type { CoveredSource } from "../../testing/coverage.js";
import type { Style } from "./show-suite.js";

/** Which handlers tests ran, by data source and template, as matchstick shows it. */
export function coverageText(sources: readonly CoveredSource[], style: Style): string {
  const parts = sources.map(({ name, handlers }) => [
    `Handlers for source '${visible(name)}':`,
    ...handlers.map((handler) =>
      handler.isTested
        ? style("32", `Handler '${visible(handler.name)}' is tested.`)
        : style("31", `Handler '${visible(handler.name)}' is not tested.`),
    ),
    `Test coverage: ${shareOf([{ handlers }])}\n`,
  ]);
  return `\n${[...parts.flat(), `Global test coverage: ${shareOf(sources)}`].join("\n")}\n`;
}

function shareOf(sources: readonly Pick<CoveredSource, "handlers">[]): string {
  const all = sources.flatMap(({ handlers }) => handlers);
  const tested = all.filter(({ isTested }) => isTested).length;
  const percentage = all.length === 0 ? 0 : (tested * 100) / all.length;
  return `${percentage.toFixed(1)}% (${tested}/${all.length} handlers).`;
}
