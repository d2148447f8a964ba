import type { AddressPolicy, Destination } from "./address-rule.js";

/** Milliseconds between two lines about the same place. */
const pause = 60_000;
/** Most lines in that time. */
const mostLines = 20;

/**
 * Reports refused connections, for operators who want an alarm. Reports each place once a minute, within a limit for
 * all places together, because users decide how often they try.
 * @param tell receives a place, such as `db.internal (10.1.2.3) port 5432`, and the reason of the refusal
 */
export function refusalLog(
  tell: (place: string, why: string) => void,
  now: () => number,
): NonNullable<AddressPolicy["onRefused"]> {
  const told = new Map<string, number>();
  return (destination, why) => {
    const place = destinationText(destination);
    const time = now();
    for (const [known, when] of told) if (time - when >= pause) told.delete(known);
    if (told.has(place) || told.size >= mostLines) return;
    told.set(place, time);
    tell(place, why);
  };
}

function destinationText({ address, port, host }: Destination): string {
  return `${host === undefined || host === address ? address : `${host} (${address})`} port ${port}`;
}
