import { describeCases } from "./describe-cases.js";

describeCases("Templates, ends and files", ["c8-", "d8-"]);
