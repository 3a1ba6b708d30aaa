import { readFileSync } from "node:fs";

/** Scripts and styles that the page itself names: what is loaded before anything is seen. */
const page = readFileSync(new URL("dist/index.html", import.meta.url), "utf8");
const first = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
  ([, file]) => `dist/${file}`,
);

export default [
  {
    name: "first visit (all scripts and styles before the landing page)",
    path: first,
    limit: "160 KB",
    gzip: true,
  },
  {
    name: "application (frame and router, beside the above)",
    path: ["dist/assets/app-root-*.js"],
    limit: "112 KB",
    gzip: true,
  },
];
