/** A process with a child, which passes the child's answer on to its own parent. */
import { startChild } from "../../../src/machine/processes/start-child.js";

const script = new URL("./child.mjs", import.meta.url);
const { channels } = startChild({ script, title: "grandchild", heap: 64, memory: 500 });
const port = channels.open(1);
port.on("message", (shown) => process.send?.(shown));
port.postMessage("show");
