/** A decimal number: `digits` divided by ten to the power of `scale`. */
export interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

/** The most digits after the decimal point: prices and doubles have fewer. */
const mostScale = 400;

/** Reads a decimal number, such as `12.5` or `1e-7`. @returns `undefined` for other texts */
export function readExact(text: string): Exact | undefined {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d{1,80})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text) ?? [];
  if (whole === "") return undefined;
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(`${sign}${whole}${fraction}`);
  if (scale > mostScale) return undefined;
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** The digits of a number at a larger scale. */
export function atScale({ digits, scale }: Exact, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale);
}

/** Compares two numbers exactly: negative, zero or positive. */
export function compareExact(one: Exact, other: Exact): number {
  const scale = Math.max(one.scale, other.scale);
  const difference = atScale(one, scale) - atScale(other, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function addExact(one: Exact, other: Exact): Exact {
  const scale = Math.max(one.scale, other.scale);
  return { digits: atScale(one, scale) + atScale(other, scale), scale };
}

/** The value of an amount of a token. @param decimals the token's decimals */
export function worthOf(amount: bigint, decimals: number, price: Exact): Exact {
  return { digits: amount * price.digits, scale: decimals + price.scale };
}

export function exactText({ digits, scale }: Exact): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  const point = text.length - scale;
  return `${digits < 0n ? "-" : ""}${text.slice(0, point)}${scale === 0 ? "" : `.${text.slice(point)}`}`;
}

/** The nearest double. */
export function toDouble(number: Exact): number {
  return Number(exactText(number));
}
