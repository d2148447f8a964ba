/**
 * The entry of the worker thread that indexes one deployment. It lowers the thread's priority before it loads the rest,
 * because loading takes much longer than the thread's usual work, and many threads may start at once.
 */

import { standBehindRequests } from "./stand-behind.js";

standBehindRequests();
await import("./run-deployment.js");
