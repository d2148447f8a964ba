/** A field of the wrong expression, the one to write instead, and the same in Solidity. */
export interface ConversionRow {
  readonly what: string;
  readonly wrong: readonly [type: string, expression: string];
  readonly right: readonly [type: string, expression: string];
  /** Over the event's parameters; for a `fixed`, times 10¹⁸. */
  readonly solidity: string;
}

/** The parameters of the event, as in Solidity, and the values that are sent. */
export const PARAMETERS = [
  ["uint256", "amount", 3_000_000_000n],
  ["uint8", "kind", 40n],
  ["uint16", "fee", 300n],
  ["int24", "tick", -5n],
  ["int256", "delta", -1n],
  ["uint32", "count", 4_000_000_000n],
] as const;

const row = (
  what: string,
  wrong: ConversionRow["wrong"],
  right: ConversionRow["right"],
  solidity: string,
): ConversionRow => ({ what, wrong, right, solidity });

/** The silent conversions of numbers that an expression can contain. */
export const CONVERSIONS: readonly ConversionRow[] = [
  row(
    "power of constants",
    ["uint256", "BigInt.fromI32(10 ** 18)"],
    ["uint256", "BigInt.fromI32(10).pow(18)"],
    "10 ** 18",
  ),
  row(
    "power of a parameter",
    ["uint256", "BigInt.fromI32(10 ** event.params.kind)"],
    ["uint256", "BigInt.fromI32(10).pow(event.params.kind as u8)"],
    "uint256(10) ** kind",
  ),
  row(
    "negative power",
    ["int32", "10 ** -2"],
    ["fixed", 'BigDecimal.fromString("1").div(BigInt.fromI32(10).pow(2).toBigDecimal())'],
    "1e18 / 10 ** 2",
  ),
  row(
    "product of constants",
    ["uint256", "BigInt.fromI32(86400000 * 365)"],
    ["uint256", "BigInt.fromI32(86400000).times(BigInt.fromI32(365))"],
    "86400000 * 365",
  ),
  row(
    "sum of constants",
    ["int256", "BigInt.fromI32(2147483647 + 1)"],
    ["int256", "BigInt.fromI32(2147483647).plus(BigInt.fromI32(1))"],
    "int256(2147483647) + 1",
  ),
  row(
    "difference of constants",
    ["int256", "BigInt.fromI32(-2147483648 - 1)"],
    ["int256", "BigInt.fromI32(-2147483648).minus(BigInt.fromI32(1))"],
    "int256(-2147483648) - 1",
  ),
  row(
    "minus of the least number",
    ["int256", "BigInt.fromI32(-i32.MIN_VALUE)"],
    ["int256", 'BigInt.fromString("2147483648")'],
    "-int256(type(int32).min)",
  ),
  row(
    "product with a parameter",
    ["uint256", "BigInt.fromI32(event.params.kind * 1000000000)"],
    ["uint256", "BigInt.fromI32(event.params.kind).times(BigInt.fromI32(1000000000))"],
    "uint256(kind) * 1000000000",
  ),
  row(
    "shift of constants",
    ["uint256", "BigInt.fromI32(1 << 40)"],
    ["uint256", "BigInt.fromI32(1).leftShift(40)"],
    "uint256(1) << 40",
  ),
  row(
    "shift by a parameter",
    ["uint256", "BigInt.fromI32(1 << event.params.kind)"],
    ["uint256", "BigInt.fromI32(1).leftShift(event.params.kind as u8)"],
    "uint256(1) << kind",
  ),
  row(
    "shift to the right, too far",
    ["int32", "256 >> event.params.kind"],
    ["uint256", "BigInt.fromI32(256).rightShift(event.params.kind as u8)"],
    "uint256(256) >> kind",
  ),
  row(
    "shift without a sign",
    ["int32", "-1 >>> 0"],
    ["uint256", 'BigInt.fromString("4294967295")'],
    "uint256(type(uint32).max)",
  ),
  row(
    "bits of constants",
    ["uint256", "BigInt.fromI32(0xf0000000 | 1)"],
    ["uint256", 'BigInt.fromString("4026531841")'],
    "uint256(0xf0000000) | 1",
  ),
  row(
    "literal of more than 31 bits",
    ["uint256", "BigInt.fromI32(3000000000)"],
    ["uint256", 'BigInt.fromString("3000000000")'],
    "uint256(3000000000)",
  ),
  row(
    "literal of more than 64 bits",
    ["uint256", "BigInt.fromI64(18446744073709551617)"],
    ["uint256", 'BigInt.fromString("18446744073709551617")'],
    "uint256(18446744073709551617)",
  ),
  row(
    "negative literal without a sign",
    ["int256", "BigInt.fromU64(-1)"],
    ["int256", "BigInt.fromI32(-1)"],
    "int256(-1)",
  ),
  row(
    "literal in an operation",
    ["int32", "event.params.kind + 3000000000"],
    ["uint256", 'BigInt.fromI32(event.params.kind).plus(BigInt.fromString("3000000000"))'],
    "uint256(kind) + 3000000000",
  ),
  row(
    "literal in a choice",
    ["uint256", "BigInt.fromI32(event.params.kind > 5 ? 3000000000 : 1)"],
    ["uint256", 'event.params.kind > 5 ? BigInt.fromString("3000000000") : BigInt.fromI32(1)'],
    "kind > 5 ? uint256(3000000000) : 1",
  ),
  row(
    "literal in a field",
    ["int32", "3000000000"],
    ["int64", 'BigInt.fromString("3000000000")'],
    "int64(3000000000)",
  ),
  row(
    "number in text",
    ["int32", 'I32.parseInt("3000000000")'],
    ["uint256", 'BigInt.fromString("3000000000")'],
    "uint256(3000000000)",
  ),
  row("cast of a constant", ["int32", "300 as u8"], ["int32", "300"], "uint256(300)"),
  row("cast in front", ["int32", "<u8>300"], ["int32", "300"], "uint256(300)"),
  row("cast by a call", ["int32", "u8(300)"], ["int32", "300"], "uint256(300)"),
  row(
    "cast of a parameter",
    ["int32", "event.params.fee as u8"],
    ["int32", "event.params.fee"],
    "uint256(fee)",
  ),
  row(
    "cast of the sign",
    ["int32", "event.params.tick as u8"],
    ["int32", "event.params.tick"],
    "int256(tick)",
  ),
  row(
    "cast to fewer bits",
    ["int32", "event.params.count.toI64() as i32"],
    ["uint256", "event.params.count"],
    "uint256(count)",
  ),
  row(
    "cast of a fraction",
    ["int32", "1.9 as i32"],
    ["fixed", 'BigDecimal.fromString("1.9")'],
    "uint256(1.9e18)",
  ),
  row(
    "sum of small types",
    ["int32", "(200 as u8) + (100 as u8)"],
    ["int32", "200 + 100"],
    "uint256(200) + 100",
  ),
  row("minus of a type without a sign", ["int32", "-(5 as u8)"], ["int32", "-5"], "int256(-5)"),
  row(
    "difference without a sign",
    ["uint256", "BigInt.fromU32((event.params.kind as u32) - 50)"],
    ["int256", "BigInt.fromI32(event.params.kind - 50)"],
    "int256(uint256(kind)) - 50",
  ),
  row(
    "two signs in an operation",
    ["int32", "(10 as u32) / event.params.tick"],
    ["int256", "BigInt.fromI32(10).div(BigInt.fromI32(event.params.tick))"],
    "int256(10) / tick",
  ),
  row(
    "two signs in a comparison",
    ["bool", "event.params.tick == (4294967291 as u32)"],
    ["bool", 'BigInt.fromI32(event.params.tick) == BigInt.fromString("4294967291")'],
    "int256(tick) == 4294967291 ? int256(1) : int256(0)",
  ),
  row(
    "BigInt of a number with a sign",
    ["int256", "BigInt.fromU32(event.params.tick)"],
    ["int256", "BigInt.fromI32(event.params.tick)"],
    "int256(tick)",
  ),
  row(
    "plain number of a BigInt",
    ["int32", "event.params.amount.toI32()"],
    ["uint256", "event.params.amount"],
    "amount",
  ),
  row(
    "plain number of a negative BigInt",
    ["int32", "event.params.delta.toU32()"],
    ["int256", "event.params.delta"],
    "delta",
  ),
  row(
    "number without a sign in a field",
    ["int32", "event.params.count.toU32()"],
    ["uint256", "event.params.count"],
    "uint256(count)",
  ),
  row(
    "division of constants",
    ["int32", "5 / 2"],
    ["fixed", 'BigDecimal.fromString("2.5")'],
    "uint256(5e18) / 2",
  ),
  row(
    "division before a decimal",
    ["fixed", "event.params.amount.div(BigInt.fromI32(7)).toBigDecimal()"],
    ["fixed", "event.params.amount.toBigDecimal().div(BigInt.fromI32(7).toBigDecimal())"],
    "amount * 1e18 / 7",
  ),
  row(
    "large integer as a float",
    ["string", "(9007199254740993 as f64).toString()"],
    ["uint256", 'BigInt.fromString("9007199254740993")'],
    "uint256(9007199254740993)",
  ),
];
