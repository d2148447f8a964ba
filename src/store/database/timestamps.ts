const second = 1_000_000n;
const day = 86_400n * second;

/** A time in microseconds since 1970 in the database's text form: `2023-11-14 22:13:20.000001+00`. */
export function timestampText(microseconds: bigint): string {
  const days = floorDivided(microseconds, day);
  const rest = microseconds - days * day;
  const [year, month, date] = dateOf(days);
  const seconds = rest / second;
  const clock = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n]
    .map((part) => padded(part, 2))
    .join(":");
  const fraction = rest % second === 0n ? "" : `.${padded(rest % second, 6)}`;
  const shownYear = year > 0n ? year : 1n - year;
  const era = year > 0n ? "" : " BC";
  return `${padded(shownYear, 4)}-${padded(month, 2)}-${padded(date, 2)} ${clock}${fraction}+00${era}`;
}

const form = /^(\d+)-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?\+00( BC)?$/;

/**
 * Microseconds since 1970 of a time in the database's text form, in UTC.
 * @throws RangeError for another form
 */
export function parseTimestamp(text: string): bigint {
  const [, years = "", month = "", date = "", hours = "", minutes = "", seconds = "", fraction = "", bc] =
    form.exec(text) ?? [];
  if (years === "") throw new RangeError(`the database gave ${text} as a time`);
  const year = bc ? 1n - BigInt(years) : BigInt(years);
  const time = (BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  return daysOf(year, BigInt(month), BigInt(date)) * day + time * second + BigInt(fraction.padEnd(6, "0"));
}

// Converts days to Gregorian dates, with years that start in March so that a leap day comes last.

const era = 146_097n;

function dateOf(days: bigint): [year: bigint, month: bigint, date: bigint] {
  const shifted = days + 719_468n;
  const eras = floorDivided(shifted, era);
  const dayOfEra = shifted - eras * era;
  const yearOfEra = (dayOfEra - dayOfEra / 1460n + dayOfEra / 36_524n - dayOfEra / 146_096n) / 365n;
  const dayOfYear = dayOfEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n);
  const march = (5n * dayOfYear + 2n) / 153n;
  const month = march < 10n ? march + 3n : march - 9n;
  const year = yearOfEra + eras * 400n + (month <= 2n ? 1n : 0n);
  return [year, month, dayOfYear - (153n * march + 2n) / 5n + 1n];
}

function daysOf(year: bigint, month: bigint, date: bigint): bigint {
  const years = month <= 2n ? year - 1n : year;
  const eras = floorDivided(years, 400n);
  const yearOfEra = years - eras * 400n;
  const dayOfYear = (153n * (month > 2n ? month - 3n : month + 9n) + 2n) / 5n + date - 1n;
  const dayOfEra = yearOfEra * 365n + yearOfEra / 4n - yearOfEra / 100n + dayOfYear;
  return eras * era + dayOfEra - 719_468n;
}

function floorDivided(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

function padded(value: bigint, width: number): string {
  return String(value).padStart(width, "0");
}
