// Loaded before a script: leaves behind the most memory its process held at once, in KB.
import { writeFileSync } from "node:fs";

const file = process.env.PEAK_MEMORY_FILE;
// Processes that the script starts would count for themselves.
delete process.env.PEAK_MEMORY_FILE;
if (file) process.on("exit", () => writeFileSync(file, String(process.resourceUsage().maxRSS)));
