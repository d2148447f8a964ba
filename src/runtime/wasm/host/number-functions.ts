import type { BigDecimal } from "../../../subgraph/schema/entity.js";
import { DeterministicError } from "../../errors.js";
import * as decimal from "../../numbers/big-decimal.js";
import * as integer from "../../numbers/big-int.js";
import { readBigDecimal, readBigInt, writeBigDecimal } from "../numbers-in-heap.js";
import type { HostFunction, HostFunctions } from "../webassembly.js";
import type { HostSession } from "./session.js";

export function bigIntFunctions(session: HostSession): HostFunctions {
  const binary =
    (operation: (x: bigint, y: bigint) => bigint): HostFunction =>
    (x = 0, y = 0) => {
      const { heap } = session;
      return heap.bigInt(operation(readBigInt(heap, x), readBigInt(heap, y)));
    };
  /** The second operand is a `u8`, passed as an `i32`. */
  const withByte =
    (operation: (x: bigint, y: bigint) => bigint): HostFunction =>
    (x = 0, y = 0) => {
      if (y < 0 || y > 255) throw new DeterministicError(`${y} does not fit into u8`);
      return session.heap.bigInt(operation(readBigInt(session.heap, x), BigInt(y)));
    };
  return {
    "bigInt.plus": binary((x, y) => x + y),
    "bigInt.minus": binary((x, y) => x - y),
    "bigInt.times": binary((x, y) => x * y),
    "bigInt.dividedBy": binary(integer.divided),
    "bigInt.mod": binary(integer.remainder),
    "bigInt.bitOr": binary((x, y) => x | y),
    "bigInt.bitAnd": binary((x, y) => x & y),
    "bigInt.pow": withByte(integer.power),
    "bigInt.leftShift": withByte((x, y) => x << y),
    "bigInt.rightShift": withByte((x, y) => x >> y),
    "bigInt.fromString": (text = 0) =>
      session.heap.bigInt(integer.parseInteger(session.heap.readString(text))),
    "bigInt.dividedByDecimal": (x = 0, y = 0) => {
      const { heap } = session;
      const dividend = decimal.normalized(readBigInt(heap, x), 0);
      return writeBigDecimal(heap, decimal.dividedBy(dividend, readBigDecimal(heap, y)));
    },
  };
}

export function bigDecimalFunctions(session: HostSession): HostFunctions {
  const binary =
    (operation: (x: BigDecimal, y: BigDecimal) => BigDecimal): HostFunction =>
    (x = 0, y = 0) => {
      const { heap } = session;
      return writeBigDecimal(heap, operation(readBigDecimal(heap, x), readBigDecimal(heap, y)));
    };
  return {
    "bigDecimal.plus": binary(decimal.plus),
    "bigDecimal.minus": binary(decimal.minus),
    "bigDecimal.times": binary(decimal.times),
    "bigDecimal.dividedBy": binary(decimal.dividedBy),
    "bigDecimal.equals": (x = 0, y = 0) =>
      decimal.equal(readBigDecimal(session.heap, x), readBigDecimal(session.heap, y)) ? 1 : 0,
    "bigDecimal.toString": (value = 0) =>
      session.heap.string(decimal.decimalText(readBigDecimal(session.heap, value))),
    "bigDecimal.fromString": (text = 0) =>
      writeBigDecimal(session.heap, decimal.parseDecimal(session.heap.readString(text))),
  };
}
