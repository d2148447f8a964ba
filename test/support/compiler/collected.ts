import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** How many of some objects are still in memory once it was cleared of all that nobody holds. */
export async function countKept(objects: readonly WeakRef<object>[]): Promise<number> {
  // What was looked at in this turn is held until it ends.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  return objects.filter((one) => one.deref() !== undefined).length;
}
