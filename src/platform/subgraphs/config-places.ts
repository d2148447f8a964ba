import type { HostedError, HostedStatus } from "../../hosting/engine.js";
import type { Sql } from "../../store/database/database.js";
import type { LogLine } from "../../store/logs/log-line.js";
import { placesIn } from "../../subgraph/carried-files.js";
import {
  type ConfigExcerpt,
  type ConfigPlaces,
  configExcerpts,
  configPlaceOf,
  type MappingPlace,
} from "../../subgraph/config-places.js";
import { readCarried, type SubgraphVersion } from "./versions.js";

/**
 * The origin of a status's failed handlers: the places in the configuration that was deployed with a version, or with
 * a tag's version. Another project may have deployed the same build from a different configuration.
 * @returns `undefined` if no handler has failed, or if the version came without its places
 * @throws DatabaseError
 */
export async function placesOf(
  sql: Sql,
  entry: SubgraphVersion,
  { fatalError, nonFatalErrors }: HostedStatus,
): Promise<ConfigPlaces | undefined> {
  const errors = [...(fatalError ? [fatalError] : []), ...nonFatalErrors];
  if (errors.every(({ handler }) => handler === undefined)) return undefined;
  return placesIn(await readCarried(sql, entry));
}

/** A status with its errors placed in the configuration. */
export function placedStatus(status: HostedStatus, places: ConfigPlaces): HostedStatus {
  const { fatalError, nonFatalErrors } = status;
  return {
    ...status,
    ...(fatalError && { fatalError: placed(fatalError, places) }),
    nonFatalErrors: nonFatalErrors.map((error) => placed(error, places)),
  };
}

/** The lines of the configuration around an error. None if they are not known. */
export function linesAround(
  places: ConfigPlaces | undefined,
  { handler, place }: HostedError,
): readonly ConfigExcerpt[] {
  return places && handler !== undefined ? configExcerpts(places, placeIn(place), handler) : [];
}

/** `Failed in the handler handleSwap of Pool, block 17 (src/pool.ts:12:3): it aborted`, as `failureText` writes it. */
const failureLine =
  /^(Failed in the handler (\S{1,200}) of [^\n:]{1,200}?(?:, block \d{1,15})?)(?: \(([^()\n]{1,500})\))?: /;

/**
 * Lines of a deployment's log, for a version or tag that shows it. Known places in mappings become places in the
 * configuration that came with that version.
 * @throws DatabaseError
 */
export async function placedLines(
  sql: Sql,
  entry: SubgraphVersion,
  lines: readonly LogLine[],
): Promise<readonly LogLine[]> {
  const isPlaced = lines.some(({ level, text }) => level === "error" && failureLine.test(text));
  const places = isPlaced ? placesIn(await readCarried(sql, entry)) : undefined;
  if (!places) return lines;
  return lines.map((line) => {
    const [whole, before, handler, place] = failureLine.exec(line.text) ?? [];
    if (line.level !== "error" || whole === undefined || handler === undefined) return line;
    const { configPlace } = placed({ message: "", handler, ...(place !== undefined && { place }) }, places);
    if (configPlace === undefined) return line;
    return { ...line, text: `${before} (${configPlace}): ${line.text.slice(whole.length)}` };
  });
}

function placed(error: HostedError, places: ConfigPlaces): HostedError {
  const { handler, place } = error;
  const configPlace = handler === undefined ? undefined : configPlaceOf(places, placeIn(place), handler);
  return configPlace === undefined ? error : { ...error, configPlace };
}

/** `src/pool.ts:12:3` */
function placeIn(text: string | undefined): MappingPlace | undefined {
  const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(text ?? "") ?? [];
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) };
}
