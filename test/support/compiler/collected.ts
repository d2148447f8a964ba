import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Number of the given objects that are still in memory after a garbage collection. */
export async function countKept(objects: readonly WeakRef<object>[]): Promise<number> {
  // Objects that were dereferenced in this turn are held until it ends.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  return objects.filter((one) => one.deref() !== undefined).length;
}
