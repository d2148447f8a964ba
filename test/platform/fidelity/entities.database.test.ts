import { describeCases } from "./describe-cases.js";

describeCases("Entities", ["c9-", "d9-"]);
