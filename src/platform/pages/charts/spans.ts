/** A length of time in words: `40 s`, `12 min`, `3 h 5 min`, `2 days 4 h`. @param milliseconds at least 0 */
export function lengthOf(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return both(`${hours} h`, minutes % 60, "min");
  const days = Math.floor(hours / 24);
  return both(days === 1 ? "1 day" : `${days.toLocaleString("en-US")} days`, hours % 24, "h");
}

function both(whole: string, rest: number, unit: string): string {
  return rest === 0 ? whole : `${whole} ${rest} ${unit}`;
}

/** A rate in few digits: `0.02`, `4.5`, `1,234`. */
export function rateOf(perSecond: number): string {
  if (perSecond === 0) return "0";
  if (perSecond < 0.01) return "under 0.01";
  const places = perSecond < 1 ? 2 : perSecond < 100 ? 1 : 0;
  return Number(perSecond.toFixed(places)).toLocaleString("en-US");
}

/** A short time: `35 ms`, `1.2 s`. */
export function millisecondsOf(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}
