import { describeCases } from "./describe-cases.js";

describeCases("Queries", ["c10-"]);
