// Writes the type of all English texts, so that a misspelt key is a type error.
import { readdirSync, writeFileSync } from "node:fs";

const root = new URL("../src/i18n/", import.meta.url);
const files = readdirSync(new URL("locales/en/", root))
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length))
  .sort();

const id = (name) => name.replaceAll("-", "_");
const lines = [
  "// Made by `npm run gen:i18n`. Not committed.",
  ...files.map((name) => `import type ${id(name)} from "./locales/en/${name}.json";`),
  "export type Texts = {",
  ...files.map((name) => `  "${name}": typeof ${id(name)};`),
  "};",
  "",
];
writeFileSync(new URL("resources.gen.d.ts", root), lines.join("\n"));
