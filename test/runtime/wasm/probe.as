import {
  Address,
  BigDecimal,
  BigInt,
  Bytes,
  DataSourceContext,
  Entity,
  JSONValue,
  JSONValueKind,
  TypedMap,
  Value,
  YAMLValue,
  YAMLValueKind,
  crypto,
  dataSource,
  ethereum,
  ipfs,
  json,
  log,
  store,
  typeConversion,
  yaml,
} from "@graphprotocol/graph-ts";

function say(text: string): void {
  log.info("{}", [text]);
}

function text(event: ethereum.Event, index: i32): string {
  return event.parameters[index].value.toString();
}

function big(event: ethereum.Event, index: i32): BigInt {
  return event.parameters[index].value.toBigInt();
}

function bytes(event: ethereum.Event, index: i32): Bytes {
  return event.parameters[index].value.toBytes();
}

function decimal(event: ethereum.Event, index: i32): BigDecimal {
  return BigDecimal.fromString(text(event, index));
}

export function integers(event: ethereum.Event): void {
  const op = text(event, 0);
  const x = big(event, 1);
  const y = big(event, 2);
  if (op == "plus") say(x.plus(y).toString());
  else if (op == "minus") say(x.minus(y).toString());
  else if (op == "times") say(x.times(y).toString());
  else if (op == "div") say(x.div(y).toString());
  else if (op == "mod") say(x.mod(y).toString());
  else if (op == "or") say(x.bitOr(y).toString());
  else if (op == "and") say(x.bitAnd(y).toString());
  else if (op == "pow") say(x.pow(y.toI32() as u8).toString());
  else if (op == "shl") say(x.leftShift(y.toI32() as u8).toString());
  else if (op == "shr") say(x.rightShift(y.toI32() as u8).toString());
  else if (op == "hex") say(x.toHexString());
  else if (op == "bytes") say(Bytes.fromUint8Array(x).toHexString());
  else if (op == "compare") say(BigInt.compare(x, y).toString());
  else if (op == "ratio") say(x.divDecimal(y.toBigDecimal()).toString());
}

export function narrow(event: ethereum.Event): void {
  say(event.parameters[0].value.toI32().toString());
}

export function decimals(event: ethereum.Event): void {
  const op = text(event, 0);
  const x = decimal(event, 1);
  const y = decimal(event, 2);
  if (op == "plus") say(x.plus(y).toString());
  else if (op == "minus") say(x.minus(y).toString());
  else if (op == "times") say(x.times(y).toString());
  else if (op == "div") say(x.div(y).toString());
  else if (op == "equals") say(x.equals(y) ? "yes" : "no");
  else if (op == "less") say(x.lt(y) ? "yes" : "no");
  else if (op == "text") say(x.toString());
}

export function conversions(event: ethereum.Event): void {
  const op = text(event, 0);
  if (op == "integer") say(BigInt.fromString(text(event, 1)).toString());
  else if (op == "address") say(Address.fromString(text(event, 1)).toHexString());
  else if (op == "i64") say(json.toI64(text(event, 1)).toString());
  else if (op == "u64") say(json.toU64(text(event, 1)).toString());
  else if (op == "f64") say(json.toF64(text(event, 1)).toString());
  else if (op == "big") say(json.toBigInt(text(event, 1)).toString());
  else if (op == "string") say(bytes(event, 1).toString());
  else if (op == "length") say(bytes(event, 1).toString().length.toString());
  else if (op == "hex") say(bytes(event, 1).toHexString());
  else if (op == "base58") say(bytes(event, 1).toBase58());
  else if (op == "keccak") say(Bytes.fromByteArray(crypto.keccak256(bytes(event, 1))).toHexString());
  else if (op == "echo") say(text(event, 1));
}

function jsonText(value: JSONValue): string {
  if (value.kind == JSONValueKind.NULL) return "null";
  if (value.kind == JSONValueKind.BOOL) return value.toBool() ? "true" : "false";
  if (value.kind == JSONValueKind.NUMBER) return "#" + changetype<string>(value.data as usize);
  if (value.kind == JSONValueKind.STRING) return "'" + value.toString() + "'";
  let out = "";
  if (value.kind == JSONValueKind.ARRAY) {
    const items = value.toArray();
    for (let i = 0; i < items.length; i++) out += jsonText(items[i]) + ",";
    return "[" + out + "]";
  }
  const entries = value.toObject().entries;
  for (let i = 0; i < entries.length; i++) out += entries[i].key + ":" + jsonText(entries[i].value) + ",";
  return "{" + out + "}";
}

function yamlText(value: YAMLValue): string {
  if (value.kind == YAMLValueKind.NULL) return "null";
  if (value.kind == YAMLValueKind.BOOL) return value.toBool() ? "true" : "false";
  if (value.kind == YAMLValueKind.NUMBER) return "#" + changetype<string>(value.data as usize);
  if (value.kind == YAMLValueKind.STRING) return "'" + value.toString() + "'";
  let out = "";
  if (value.kind == YAMLValueKind.ARRAY) {
    const items = value.toArray();
    for (let i = 0; i < items.length; i++) out += yamlText(items[i]) + ",";
    return "[" + out + "]";
  }
  if (value.kind == YAMLValueKind.TAGGED) return value.toTagged().tag + " " + yamlText(value.toTagged().value);
  const entries = value.toObject().entries;
  for (let i = 0; i < entries.length; i++) {
    out += yamlText(entries[i].key) + ":" + yamlText(entries[i].value) + ",";
  }
  return "{" + out + "}";
}

export function texts(event: ethereum.Event): void {
  const op = text(event, 0);
  const data = bytes(event, 1);
  if (op == "json") say(jsonText(json.fromBytes(data)));
  else if (op == "yaml") say(yamlText(yaml.fromBytes(data)));
  else if (op == "try json") {
    const result = json.try_fromBytes(data);
    say(result.isOk ? jsonText(result.value) : "error " + (result.error ? "true" : "false"));
  } else if (op == "try yaml") {
    const result = yaml.try_fromBytes(data);
    say(result.isOk ? yamlText(result.value) : "error " + (result.error ? "true" : "false"));
  }
}

/** Logs the bytes that its parameter encodes to, and whether decoding them by the type gives the same bytes again. */
export function encode(event: ethereum.Event): void {
  const encoded = ethereum.encode(event.parameters[1].value);
  if (!encoded) {
    say("null");
    return;
  }
  say(encoded.toHexString());
  const decoded = ethereum.decode(text(event, 0), encoded);
  say(decoded ? ethereum.encode(decoded)!.toHexString() : "null");
}

export function decode(event: ethereum.Event): void {
  const decoded = ethereum.decode(text(event, 0), bytes(event, 1));
  say(decoded ? ethereum.encode(decoded)!.toHexString() : "null");
}

function emitted(event: ethereum.Event): string {
  const parts = [
    event.address.toHexString(),
    event.logIndex.toString(),
    event.transactionLogIndex.toString(),
    event.logType === null ? "null" : "text",
  ];
  return parts.join(" ");
}

function blockText(block: ethereum.Block): string {
  const size = block.size;
  const baseFee = block.baseFeePerGas;
  const parts = [
    block.hash.toHexString(),
    block.parentHash.toHexString(),
    block.unclesHash.toHexString(),
    block.author.toHexString(),
    block.stateRoot.toHexString(),
    block.transactionsRoot.toHexString(),
    block.receiptsRoot.toHexString(),
    block.number.toString(),
    block.gasUsed.toString(),
    block.gasLimit.toString(),
    block.timestamp.toString(),
    block.difficulty.toString(),
    block.totalDifficulty.toString(),
    size ? size.toString() : "null",
    baseFee ? baseFee.toString() : "null",
  ];
  return parts.join(" ");
}

function transactionText(transaction: ethereum.Transaction): string {
  const to = transaction.to;
  const parts = [
    transaction.hash.toHexString(),
    transaction.index.toString(),
    transaction.from.toHexString(),
    to ? to.toHexString() : "null",
    transaction.value.toString(),
    transaction.gasLimit.toString(),
    transaction.gasPrice.toString(),
    transaction.input.toHexString(),
    transaction.nonce.toString(),
  ];
  return parts.join(" ");
}

function parametersText(parameters: Array<ethereum.EventParam>): string {
  let out = "";
  for (let i = 0; i < parameters.length; i++) {
    const value = parameters[i].value;
    out += parameters[i].name + "=" + (value.kind as i32).toString() + ":";
    out += ethereum.encode(value)!.toHexString() + " ";
  }
  return out;
}

export function wholeEvent(event: ethereum.Event): void {
  say(emitted(event));
  say(blockText(event.block));
  say(transactionText(event.transaction));
  say(parametersText(event.parameters));
  const receipt = event.receipt;
  if (!receipt) {
    say("null");
    return;
  }
  const contract = changetype<Address | null>(receipt.contractAddress);
  const status = changetype<BigInt | null>(receipt.status);
  const root = changetype<Bytes | null>(receipt.root);
  const parts = [
    receipt.transactionHash.toHexString(),
    receipt.transactionIndex.toString(),
    receipt.blockHash.toHexString(),
    receipt.blockNumber.toString(),
    receipt.cumulativeGasUsed.toString(),
    receipt.gasUsed.toString(),
    contract ? contract.toHexString() : "null",
    status ? status.toString() : "null",
    root ? root.toHexString() : "null",
    receipt.logsBloom.toHexString(),
  ];
  say(parts.join(" "));
  for (let i = 0; i < receipt.logs.length; i++) {
    const entry = receipt.logs[i];
    let topics = "";
    for (let j = 0; j < entry.topics.length; j++) topics += entry.topics[j].toHexString() + ",";
    const removed = entry.removed;
    const fields = [
      entry.address.toHexString(),
      topics,
      entry.data.toHexString(),
      entry.blockHash.toHexString(),
      changetype<BigInt>(entry.blockNumber).toString(),
      entry.transactionHash.toHexString(),
      entry.transactionIndex.toString(),
      entry.logIndex.toString(),
      changetype<BigInt | null>(entry.transactionLogIndex) ? "index" : "null",
      changetype<string | null>(entry.logType) ? "type" : "null",
      removed ? (removed.inner ? "true" : "false") : "null",
    ];
    say(fields.join(" "));
  }
}

export function wholeCall(call: ethereum.Call): void {
  say(call.to.toHexString() + " " + call.from.toHexString());
  say(blockText(call.block));
  say(transactionText(call.transaction));
  say(parametersText(call.inputValues));
  say(parametersText(call.outputValues));
}

/** Loads `Thing[from]` and saves its fields, one of them unset, as `Thing[to]`. */
export function copy(event: ethereum.Event): void {
  const found = store.get("Thing", text(event, 0));
  if (!found) {
    say("null");
    return;
  }
  let names = "";
  for (let i = 0; i < found.entries.length; i++) names += found.entries[i].key + " ";
  say(names);
  found.unset("gone");
  store.set("Thing", text(event, 1), found);
}

export function moreStore(event: ethereum.Event): void {
  const inBlock = store.get_in_block("Thing", "here");
  say(inBlock ? "found" : "null");
  const related = store.loadRelated("Owner", "o", "things");
  for (let i = 0; i < related.length; i++) say(related[i].getString("id"));
  store.remove("Thing", "old");
}

export function makeValues(event: ethereum.Event): void {
  const entity = new Entity();
  entity.setI32("int", -5);
  entity.set("int8", Value.fromI64(i64.MIN_VALUE));
  entity.set("time", Value.fromTimestamp(1_700_000_000_000_001));
  entity.setBoolean("yes", true);
  entity.setBoolean("no", false);
  entity.setBytes("empty", changetype<Bytes>(new Uint8Array(0)));
  entity.set("list", Value.fromArray([Value.fromString("a\0b"), Value.fromNull(), Value.fromArray([])]));
  entity.setBigDecimal("third", BigDecimal.fromString("1").div(BigDecimal.fromString("3")));
  entity.set("part", Value.fromBytes(changetype<Bytes>(Bytes.fromHexString("0x0102030405").subarray(1, 4))));
  store.set("Thing", "made", entity);
}

export function sources(event: ethereum.Event): void {
  say(dataSource.address().toHexString() + " " + dataSource.network());
  say(dataSource.context().getString("hello"));
  dataSource.create("Pool", ["0x01", "more"]);
  const context = new DataSourceContext();
  context.setI32("number", 7);
  dataSource.createWithContext("Pool", ["0x02"], context);
}

export function contract(event: ethereum.Event): void {
  const target = event.parameters[1].value.toAddress();
  const call = new ethereum.SmartContractCall("Token", target, "f", "f(uint256):(uint256)", [event.parameters[0].value]);
  const result = ethereum.call(call);
  say(result ? result[0].toBigInt().toString() : "reverted");
}

export function account(event: ethereum.Event): void {
  const address = event.parameters[0].value.toAddress();
  say(ethereum.getBalance(address).toString());
  say(ethereum.hasCode(address).inner ? "code" : "no code");
}

export function levels(event: ethereum.Event): void {
  log.debug("d {}", ["1"]);
  log.info("i", []);
  log.warning("w", []);
  log.error("e", []);
  log.critical("stop {}", ["now"]);
  log.info("never", []);
}

let memory: i32 = 0;
const greeting = "ab";

/** Says what it left behind the last time, which must be nothing. */
export function leaveTraces(event: ethereum.Event): void {
  memory += 1;
  say(memory.toString() + " " + greeting);
  changetype<Unit>(changetype<usize>(greeting)).first = 0x7a;
  const size = event.parameters[0].value.toI32();
  const junk = __alloc(size + 1);
  for (let i = 0; i < size; i++) {
    if (load<u8>(junk + i) != 0) {
      say("dirty");
      break;
    }
  }
  fill(junk, size);
}

function fill(at: usize, size: i32): void {
  for (let i = 0; i < size; i++) changetype<Unit>(at + i).first = 0xffff;
}

@unmanaged
class Unit {
  first: u16;
}

export function divideByZero(event: ethereum.Event): void {
  const zero = event.parameters[0].value.toI32();
  say((7 / zero).toString());
}

export function outOfBounds(event: ethereum.Event): void {
  const far = changetype<Unit>(0xfffffff0);
  say(far.first.toString());
}

function endless(depth: i32): i32 {
  return endless(depth + 1) + depth;
}

export function overflowStack(event: ethereum.Event): void {
  say(endless(0).toString());
}

export function giveUp(event: ethereum.Event): void {
  assert(false, "it was not to be");
}

export function nullString(event: ethereum.Event): void {
  log.log(3, changetype<string>(0));
}

export function wildString(event: ethereum.Event): void {
  log.log(3, changetype<string>(0x7ffffff0));
}

export function loneSurrogate(event: ethereum.Event): void {
  log.log(3, String.fromCharCode(0xd800));
}

export function nestedValues(event: ethereum.Event): void {
  let value = Value.fromArray([]);
  for (let i = 0; i < event.parameters[0].value.toI32(); i++) value = Value.fromArray([value]);
  const entity = new Entity();
  entity.set("deep", value);
  store.set("Thing", "deep", entity);
}

export function files(event: ethereum.Event): void {
  ipfs.cat("Qm");
}

export function lookup(event: ethereum.Event): void {
  const asked = event.address.toHexString();
  say("asked");
  store.get("Thing", "missing");
  say("answered " + asked);
}
