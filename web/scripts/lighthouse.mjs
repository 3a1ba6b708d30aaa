// Runs Lighthouse for a phone on pages of a running product with a built client: the landing page,
// the sign-in, the operator page and the dashboard, or the pages in the arguments. BASE_URL: the
// product; CHROMIUM_PATH: the browser. Fails below a budget.
import { cookiesFor, measuredCompany } from "./measured-company.mjs";
import { runLighthouse, slowdown } from "./run-lighthouse.mjs";

const base = process.env.BASE_URL ?? "http://127.0.0.1:8080";
const pages = {
  landing: { path: "/", performance: 0.98 },
  "sign-in": { path: "/login", performance: 0.92 },
  operator: { path: "/", as: "operator", performance: 0.92 },
  dashboard: { path: "/", as: "owner", performance: 0.92 },
};
const named = process.argv.slice(2);
const chosen = Object.entries(pages).filter(([name]) => named.length === 0 || named.includes(name));
const people = chosen.some(([, { as }]) => as) ? await measuredCompany(base) : {};
const times = await slowdown(base);

for (const [name, { path, as, performance }] of chosen) {
  const budget = { performance, accessibility: 1 };
  const { categories, audits } = await runLighthouse(
    base + path,
    as ? cookiesFor(base, people[as]) : [],
    `--only-categories=${Object.keys(budget).join(",")}`,
    `--throttling.cpuSlowdownMultiplier=${times}`,
  );
  const figures = [
    "first-contentful-paint",
    "largest-contentful-paint",
    "speed-index",
    "total-blocking-time",
    "cumulative-layout-shift",
  ].map((figure) => `${figure} ${audits[figure].displayValue}`);
  console.log(`${name}: ${figures.join(", ")}`);
  for (const [category, least] of Object.entries(budget)) {
    const { score } = categories[category];
    console.log(`${name}: ${category} ${score} (at least ${least})`);
    if (score < least) process.exitCode = 1;
  }
}
