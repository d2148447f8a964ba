import { BigInt, dataSource, DataSourceContext, ethereum, ipfs, JSONValue, Value } from "@graphprotocol/graph-ts";
import { BlockFields, Counter, Seen } from "../generated/schema";
import { Born, Clock, Failing, Ordered, QuietCall, Ticked, Told } from "../generated/Every/Clock";
import { Child as ChildTemplate } from "../generated/templates";
import { Pinged } from "../generated/templates/Child/Child";

function next(): i32 {
  let counter = Counter.load("seen");
  if (counter == null) {
    counter = new Counter("seen");
    counter.value = 0;
  }
  counter.value += 1;
  counter.save();
  return counter.value;
}

function note(block: ethereum.Block, what: string): void {
  const context = dataSource.context();
  const label = context.isSet("label") ? context.getString("label") + " " : "";
  const seen = new Seen(next());
  seen.block = block.number;
  seen.what = label + what;
  seen.save();
}

export function onBlock(block: ethereum.Block): void {
  note(block, "block");
  const fields = new BlockFields(block.number.toString());
  fields.hash = block.hash;
  fields.parentHash = block.parentHash;
  fields.unclesHash = block.unclesHash;
  fields.author = block.author;
  fields.stateRoot = block.stateRoot;
  fields.transactionsRoot = block.transactionsRoot;
  fields.receiptsRoot = block.receiptsRoot;
  fields.gasUsed = block.gasUsed;
  fields.gasLimit = block.gasLimit;
  fields.timestamp = block.timestamp;
  fields.difficulty = block.difficulty;
  fields.totalDifficulty = block.totalDifficulty;
  fields.size = block.size;
  fields.baseFeePerGas = block.baseFeePerGas;
  fields.save();
}

export function onBlockWithCall(block: ethereum.Block): void {
  note(block, "called");
}

export function onPoll(block: ethereum.Block): void {
  note(block, "poll");
}

export function onStart(block: ethereum.Block): void {
  note(block, "once");
}

export function onTicked(event: Ticked): void {
  const receipt = event.receipt;
  note(event.block, "tick " + event.params.number.toString() + (receipt == null ? "" : " paid " + receipt.gasUsed.toString()));
}

export function onQuiet(call: QuietCall): void {
  note(call.block, "quiet " + call.inputs.number.toString() + " of " + call.outputs.value0.toString());
}

export function onOrdered(event: Ordered): void {
  const clock = Clock.bind(event.address);
  const maker = clock.seen(event.params.order.maker);
  const token = clock.seen(event.params.order.inner.token);
  note(event.block, "order " + maker.toString() + " " + token.toString());
}

export function onBorn(event: Born): void {
  note(event.block, "born");
  const context = new DataSourceContext();
  context.setString("label", "child");
  ChildTemplate.createWithContext(event.params.child, context);
}

export function onFailing(event: Failing): void {
  note(event.block, "before failing");
  ChildTemplate.create(event.address);
  assert(event.params.number != BigInt.fromI32(13), "thirteen");
  note(event.block, "did not fail");
}

export function onPinged(event: Pinged): void {
  note(event.block, "ping " + event.params.number.toString());
}

export function onTold(event: Told): void {
  const path = event.params.path;
  if (!event.params.isLines) {
    const content = ipfs.cat(path);
    note(event.block, content ? "file " + content.toString() : "no file");
    return;
  }
  note(event.block, "before lines");
  ipfs.map(path, "onLine", Value.fromString("told"), ["json"]);
  note(event.block, "after lines");
}

export function onLine(line: JSONValue, userData: Value): void {
  const name = userData.toString() + " " + line.toObject().get("name")!.toString();
  const seen = Counter.load("seen");
  const others = Counter.load("told a");
  const counter = new Counter(name);
  counter.value = (seen == null ? 0 : seen.value) + (others == null ? 0 : 1000);
  counter.save();
}
