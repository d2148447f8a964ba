import { ByteArray, Entity, Value, crypto, ethereum, log, store } from "@graphprotocol/graph-ts";

function save(id: string, text: string): void {
  const entity = new Entity();
  entity.set("id", Value.fromString(id));
  entity.set("text", Value.fromString(text));
  store.set("Note", id, entity);
}

/** Keeps every block, and says so. */
export function keep(block: ethereum.Block): void {
  const number = block.number.toString();
  log.info("Kept {}", [number]);
  save(number, block.hash.toHexString());
}

/** Takes a few of the steps that are allowed, and all of the time: what it has done is outside of it. */
export function endless(block: ethereum.Block): void {
  const space = new ByteArray(1 << 22);
  while (true) crypto.keccak256(space);
}

/** Takes more of JavaScript's memory than there is. */
export function hoard(block: ethereum.Block): void {
  const text = "x".repeat(10_000);
  for (let one = 0; one < 200_000; one++) save(one.toString(), text + one.toString());
}

/** Says a lot, now and then. */
export function chatter(block: ethereum.Block): void {
  if (block.number.toI32() % 64 != 0) return;
  for (let one = 0; one < 5_000; one++) log.debug("{} of {}", [one.toString(), block.number.toString()]);
  log.warning("No end of a text: \0", []);
}

/** Fails in one block of 64, and keeps the others. */
export function balk(block: ethereum.Block): void {
  if (block.number.toI32() % 64 == 0) throw new Error("Not this one");
  keep(block);
}

/** Keeps what no index can hold, however it is packed. */
export function swell(block: ethereum.Block): void {
  let id = "";
  let last: u32 = 1;
  for (let one = 0; one < 2_000; one++) {
    last = last * 1_664_525 + 1_013_904_223;
    id += last.toString();
  }
  save(id, "");
}

/** Counts blocks in one entity, which it reads first, and keeps each block. */
export function tally(block: ethereum.Block): void {
  const known = store.get("Note", "tally");
  const text = known == null ? "" : changetype<Entity>(known).getString("text");
  save("tally", text + "," + block.number.toString());
  keep(block);
}

/** Takes a second or so of a processor for each block. */
export function spin(block: ethereum.Block): void {
  let last: u64 = 1;
  for (let one = 0; one < 500_000_000; one++) last = last * 6_364_136_223_846_793_005 + 1;
  save(block.number.toString(), last.toString());
}
