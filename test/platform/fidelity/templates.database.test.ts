import { describeCases } from "./describe-cases.js";

describeCases("Templates, end blocks and files", ["c8-", "d8-"]);
