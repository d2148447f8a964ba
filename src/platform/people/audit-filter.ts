import { Problem } from "../problem.js";
import type { ActFilter } from "./audit.js";

/** The names of the fields of a filter, as addresses have them. */
export const filterFields = ["by", "action", "subject", "from", "to"] as const;

/** A filter of the audit log, as in an address. */
export type FilterTexts = Readonly<Partial<Record<(typeof filterFields)[number], string>>>;

const day = 86_400_000;

/**
 * Reads a filter. Times are in RFC 3339 format, or days such as `2026-11-27`, in UTC: the first day and the last one
 * both belong to the period.
 * @throws Problem `bad-request` for something that is not a time
 */
export function readActFilter({ by, action, subject, from, to }: FilterTexts): ActFilter {
  return {
    ...(by && { by }),
    ...(action && { action }),
    ...(subject && { subject }),
    ...(from && { from: momentIn("from", from).at }),
    ...(to && { to: endOf(momentIn("to", to)) }),
  };
}

interface Moment {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly isDay: boolean;
}

function endOf({ at, isDay }: Moment): number {
  return isDay ? at + day : at;
}

function momentIn(field: string, text: string): Moment {
  const isDay = isDayText(text);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i.test(text);
  const at = isDay || isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at) && isOfCalendar(text.slice(0, 10))) return { at, isDay };
  const message = "must be a day such as 2026-11-27, or a time such as 2026-11-27T08:30:00Z";
  throw new Problem("bad-request", `The query has invalid fields: ${field} ${message}.`, {
    errors: [{ field, message }],
  });
}

/** Whether a text has the form of a day: `2026-11-27`. */
export function isDayText(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text);
}

/** Date would treat February 30 as a day in March. */
function isOfCalendar(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}
