import { describeCases } from "./describe-cases.js";

describeCases("Host functions", ["c6-", "e6-"]);
