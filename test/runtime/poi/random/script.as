import {
  Address,
  BigDecimal,
  BigInt,
  Bytes,
  DataSourceTemplate,
  Entity,
  JSONValue,
  TypedMap,
  Value,
  dataSource,
  ethereum,
  json,
  store,
} from "@graphprotocol/graph-ts";

/** A value from its kind and its text, or a list of values from a list. */
function valueOf(kind: string, given: JSONValue): Value {
  if (kind == "list") {
    const items = given.toArray();
    const values: Value[] = [];
    for (let i = 0; i < items.length; i++) {
      const item = items[i].toArray();
      values.push(valueOf(item[0].toString(), item[1]));
    }
    return Value.fromArray(values);
  }
  const text = given.toString();
  if (kind == "null") return Value.fromNull();
  if (kind == "Boolean") return Value.fromBoolean(text == "true");
  if (kind == "Int") return Value.fromI32(I32.parseInt(text));
  if (kind == "Int8") return Value.fromI64(I64.parseInt(text));
  if (kind == "Timestamp") return Value.fromTimestamp(I64.parseInt(text));
  if (kind == "BigInt") return Value.fromBigInt(BigInt.fromString(text));
  if (kind == "BigDecimal") return Value.fromBigDecimal(BigDecimal.fromString(text));
  if (kind == "Bytes") return Value.fromBytes(Bytes.fromHexString(text));
  return Value.fromString(text);
}

function fill(entity: Entity, fields: JSONValue[]): void {
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i].toArray();
    entity.set(field[0].toString(), valueOf(field[1].toString(), field[2]));
  }
}

function height(): BigInt {
  const call = new ethereum.SmartContractCall("E", dataSource.address(), "height", "height():(uint256)", []);
  return ethereum.call(call)![0].toBigInt();
}

function perform(step: TypedMap<string, JSONValue>): void {
  const doing = step.mustGet("do").toString();
  if (doing == "fail") assert(false, "as told");
  if (doing == "create") {
    DataSourceTemplate.create("T", [step.mustGet("address").toString()]);
    return;
  }
  const type = step.mustGet("type").toString();
  const id = step.mustGet("id").toString();
  if (doing == "remove") {
    store.remove(type, id);
    return;
  }
  let entity: Entity | null = null;
  if (doing == "load") entity = store.get(type, id);
  else if (doing == "loadInBlock") entity = store.get_in_block(type, id);
  const own = entity ? entity : new Entity();
  fill(own, step.mustGet("fields").toArray());
  if (step.isSet("height")) own.set("n", Value.fromBigInt(height()));
  store.set(type, id, own);
}

function performAll(event: ethereum.Event, part: string): void {
  const script = json.fromBytes(event.parameters[0].value.toBytes()).toObject();
  const steps = script.get(part);
  if (!steps) return;
  const all = steps.toArray();
  for (let i = 0; i < all.length; i++) perform(all[i].toObject());
}

export function handleA(event: ethereum.Event): void {
  performAll(event, "A");
}

export function handleB(event: ethereum.Event): void {
  performAll(event, "B");
}

export function handleT(event: ethereum.Event): void {
  performAll(event, "T");
}

export function handleBlock(block: ethereum.Block): void {
  const tick = new Entity();
  tick.set("id", Value.fromString(block.number.mod(BigInt.fromI32(3)).toString()));
  tick.set("n", Value.fromBigInt(block.number));
  store.set("Tick", block.number.mod(BigInt.fromI32(3)).toString(), tick);
}
