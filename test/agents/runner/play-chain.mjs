// Plays a part of the recorded chain as a node, without new blocks. Prints its address. Needs a build.
import { fileURLToPath } from "node:url";
import { openRecording, serveRecording } from "../../../dist/machine/serve-recording.js";
import { recordedBlocks } from "./recorded-blocks.mjs";

const recording = await openRecording(
  fileURLToPath(new URL("../../../examples/demo/recording.jsonl.gz", import.meta.url)),
);
const { url } = await serveRecording({ ...recording, history: recordedBlocks }, { now: () => 0 });
console.log(JSON.stringify({ url }));
