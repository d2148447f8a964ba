import { mysqlTypes, overrideType } from "../../definition/override-type.js";
import { sinkType } from "../sink-type.js";
import { mysqlShape } from "./shape.js";

export const mysql = sinkType({
  name: "mysql_sink",
  aliases: ["mysql"],
  shape: mysqlShape,
  place: "table",
  columnTypes: {
    isType: (text) => overrideType(text, mysqlTypes) !== undefined,
    examples: "varchar(66), json, decimal(65,0) or datetime(6)",
  },
  load: async () => (await import("./open-mysql.js")).mysqlAccess,
});
