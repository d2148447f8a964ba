export * from "./exports/compiler.js";
export * from "./exports/deploy.js";
export * from "./exports/runtime.js";
