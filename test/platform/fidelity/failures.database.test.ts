import { describeCases } from "./describe-cases.js";

describeCases("Failures", ["c1-", "c2-", "c3-", "d2-", "d3-"]);
