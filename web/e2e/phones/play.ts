import { mkdirSync, writeFileSync } from "node:fs";
import { line } from "../line.ts";
import { company } from "./company.ts";
import { play } from "./journey.ts";
import { driver, openPhone, until } from "./webdriver.ts";

// Plays the journeys against a running product in each named engine. deploy/proof/phones calls it:
//   node e2e/phones/play.ts http://127.0.0.1:8080 webkit firefox

// The page explains the installation as on these phones, and the first one counts as Safari.
const iphone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
const android = "Mozilla/5.0 (Android 15; Mobile; rv:153.0) Gecko/153.0 Firefox/153.0";

const engines = {
  webkit: {
    title: "WebKit",
    program: "WebKitWebDriver",
    port: 4471,
    capabilities: {
      "webkitgtk:browserOptions": { args: ["--automation", `--user-agent=${iphone}`] },
    },
  },
  firefox: {
    title: "Firefox",
    program: "geckodriver",
    port: 4472,
    capabilities: {
      browserName: "firefox",
      "moz:firefoxOptions": {
        args: ["-headless"],
        // As on a phone, scrollbars take no room.
        prefs: { "general.useragent.override": android, "ui.useOverlayScrollbars": 1 },
      },
    },
  },
};

const isEngine = (name: string): name is keyof typeof engines => name in engines;

const [base = "", ...names] = process.argv.slice(2);
const pictures = process.env.PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });

async function playIn(name: string) {
  if (!isEngine(name)) throw new Error(`no engine ${name}: ${Object.keys(engines).join(", ")}`);
  const { title, program, port, capabilities } = engines[name];
  const cut = await line(base);
  const running = await driver(program, port);
  try {
    const phone = await openPhone(running, capabilities);
    console.log(`${title} ${phone.version}`);
    let count = 0;
    const picture = async () => {
      count += 1;
      if (pictures) writeFileSync(`${pictures}/${name}-${count}.png`, await phone.screenshot());
    };
    try {
      await play(phone, await company(base), cut, picture);
    } catch (error) {
      await picture();
      throw error;
    } finally {
      await phone.close();
    }
  } finally {
    running.stop();
    await cut.stop();
  }
}

await until(`a product at ${base}`, () => fetch(`${base}/readyz`));
for (const name of names) await playIn(name);
