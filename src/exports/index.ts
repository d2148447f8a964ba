export * from "./compiler.js";
export * from "./deploy.js";
export * from "./runtime.js";
