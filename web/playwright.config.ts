import { availableParallelism } from "node:os";
import { defineConfig } from "@playwright/test";

const port = 8097;
const ownOrigin = `http://127.0.0.1:${port}`;
const given = process.env.BASE_URL;
// As root the database runs as another user, who may not see this checkout.
const dataDir = `/var/tmp/hourmeter-e2e-${process.getuid?.() ?? 0}`;
// What the product prints at the start: the demo company's credentials are in it.
process.env.DEMO_LOG ??= `${dataDir}.log`;
const product = "../target/debug/hourmeter";
if (!given) {
  // Support staff are made with the product's own command, on its own data.
  process.env.PRODUCT ??= product;
  process.env.PRODUCT_DATA_DIR ??= dataDir;
  // Where the tests receive the product's text messages.
  process.env.SMS_PORT ??= "8098";
}

/**
 * The real product in a real browser. Starts one on fresh data, or takes the one at BASE_URL; the
 * browser is the Chromium at CHROMIUM_PATH.
 */
export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  // One a core leaves a fifth of the time unused, while tests wait.
  workers: Number(process.env.E2E_WORKERS) || Math.ceil(1.5 * availableParallelism()),
  fullyParallel: true,
  // On a machine that is ten times slower they must still pass.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  ...(given
    ? {}
    : {
        webServer: {
          command: `exec ${product} > ${dataDir}.log`,
          url: `${ownOrigin}/readyz`,
          timeout: 300_000,
          gracefulShutdown: { signal: "SIGTERM", timeout: 20_000 },
          env: {
            PORT: String(port),
            DATA_DIR: dataDir,
            DEMO: "1",
            WEB_DIR: "dist",
            APP_ENV: "test",
            RATE_LIMITS: "off",
            // A push service of the tests.
            PUSH_DOMAINS: "127.0.0.1",
            SMS_API: `http://127.0.0.1:${process.env.SMS_PORT}/messages`,
            SMS_FROM: "+15005550006",
            SMS_AUTH: "key:secret",
          },
        },
      }),
  use: {
    baseURL: given ?? ownOrigin,
    locale: "en-US",
    // A press on what is not there must not use up the whole test.
    actionTimeout: 60_000,
    // Nothing slides or fades, so nothing is waited for.
    contextOptions: { reducedMotion: "reduce" },
    // It fetches all files once more for each new browser; tests about it ask for it.
    serviceWorkers: "block",
    // A trace costs a third of the time; TRACE=1 shows how a test failed.
    trace: process.env.TRACE === "1" ? "retain-on-failure" : "off",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        // Pages live for seconds: optimised code costs more to compile than it saves.
        "--js-flags=--no-opt",
      ],
    },
  },
});
