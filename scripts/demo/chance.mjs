/** A source of chance that gives the same for the same seed. */
export function createChance(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    next,
    /** At least 0, less than the number. */
    below: (number) => Math.floor(next() * number),
    of: (all) => all[Math.floor(next() * all.length)],
    is: (probability) => next() < probability,
    normal,
    /** Mostly around the middle, rarely many times as much. */
    around: (middle, spread) => middle * Math.exp(spread * normal()),
  };
}

/** An amount as people choose them: a few digits, in the smallest unit of a token. */
export function amount(number, decimals, digits = 3) {
  const shown = Number(number.toPrecision(digits)).toFixed(Math.min(decimals, 8));
  const [whole, part = ""] = shown.split(".");
  return BigInt(whole + part.padEnd(decimals, "0").slice(0, decimals));
}
