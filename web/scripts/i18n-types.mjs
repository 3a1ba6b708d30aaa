// Writes the type of all English texts, so that a misspelt key is a type error, and a module for the
// texts of each area and language, which is one download.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { areas } from "../src/i18n/areas.ts";
import { languages } from "../src/i18n/languages.ts";

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

const folder = new URL("texts/", root);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const language of languages) {
  for (const [area, names] of Object.entries(areas)) {
    const module = [
      "// Made by `npm run gen:i18n`. Not committed.",
      ...names.map((name) => `import ${id(name)} from "../locales/${language}/${name}.json";`),
      `export default { ${names.map((name) => `"${name}": ${id(name)}`).join(", ")} };`,
      "",
    ];
    writeFileSync(new URL(`texts-${area}-${language}.ts`, folder), module.join("\n"));
  }
}
