/** A thread that reports a failure. */
import { reportFailure } from "../../src/base/failures.js";

reportFailure(new TypeError("in a thread"));
