import fc from "fast-check";
import { propertySeed } from "./property-run.js";

// A property draws the same cases in each run: what is red here is red everywhere, and nothing is red by chance.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: propertySeed });
