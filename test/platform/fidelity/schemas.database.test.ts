import { describeCases } from "./describe-cases.js";

describeCases("Schemas", ["c7-"]);
