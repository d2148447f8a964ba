import { describeCases } from "./describe-cases.js";

describeCases("Manifests and receipts", ["c4-", "c5-", "d5-", "f5-"]);
