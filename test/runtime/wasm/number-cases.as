import { BigDecimal, BigInt, ByteArray, Bytes, Entity, Value, crypto, ethereum, store } from "@graphprotocol/graph-ts";

function decimal(value: BigDecimal): Value {
  return Value.fromBigDecimal(value);
}

function whole(value: BigInt): Value {
  return Value.fromBigInt(value);
}

export function decimals(event: ethereum.Event): void {
  const a = event.parameters[0].value.toBigInt();
  const A = a.toBigDecimal();
  const B = event.parameters[1].value.toBigInt().toBigDecimal();
  const tiny = BigDecimal.fromString("0.000000000000000001");
  const entity = new Entity();
  entity.set("quotient", decimal(A.div(B)));
  entity.set("product", decimal(A.times(B)));
  entity.set("sum", decimal(A.plus(B)));
  entity.set("difference", decimal(A.minus(B)));
  entity.set("negated", decimal(A.neg()));
  entity.set("chain", decimal(A.div(B).times(B).plus(tiny).div(BigDecimal.fromString("7"))));
  entity.set("text", Value.fromString(A.div(B).toString()));
  entity.set("trunc", decimal(A.div(B).truncate(3)));
  entity.set("eq", Value.fromBoolean(A.div(B).times(B).equals(A)));
  entity.set("gt", Value.fromBoolean(A.gt(B)));
  entity.set("parsed", decimal(BigDecimal.fromString(a.toString() + ".000100500")));
  entity.set("exp", decimal(BigDecimal.fromString(a.toString() + "e-5")));
  store.set("Case", "1", entity);
}

export function integers(event: ethereum.Event): void {
  const a = event.parameters[0].value.toBigInt();
  const b = event.parameters[1].value.toBigInt();
  const entity = new Entity();
  entity.set("quotient", whole(a.div(b)));
  entity.set("remainder", whole(a.mod(b)));
  entity.set("cube", whole(a.pow(3)));
  entity.set("sqrt", whole(a.abs().sqrt()));
  entity.set("shl", whole(a.leftShift(13)));
  entity.set("shr", whole(a.rightShift(5)));
  entity.set("or", whole(a.abs().bitOr(b.abs())));
  entity.set("and", whole(a.abs().bitAnd(b.abs())));
  entity.set("hex", Value.fromString(a.toHexString()));
  entity.set("hexs", Value.fromString(a.toHex()));
  entity.set("neg", whole(a.neg()));
  entity.set("bytes", Value.fromString(Bytes.fromByteArray(ByteArray.fromBigInt(a)).toHexString()));
  entity.set("kec", Value.fromBytes(Bytes.fromByteArray(crypto.keccak256(ByteArray.fromBigInt(b)))));
  store.set("Case", "1", entity);
}
