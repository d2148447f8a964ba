import fc from "fast-check";
import { propertySeed } from "./property-run.js";

// A property has the same cases in every run: a failure repeats everywhere, and none is a matter of chance.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: propertySeed });
