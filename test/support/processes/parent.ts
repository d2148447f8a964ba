/** A process with a child, which tells the child's answer to whoever has started it. */
import { startChild } from "../../../src/machine/processes/start-child.js";

const script = new URL("./child.mjs", import.meta.url);
const { channels } = startChild({ script, title: "grandchild", heap: 64, memory: 500 });
const port = channels.open(1);
port.on("message", (shown) => process.send?.(shown));
port.postMessage("show");
