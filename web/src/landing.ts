import { registerServiceWorker } from "./app/service-worker/register";
import { startLanding, type LandingHost, type LandingState } from "./features/landing/behaviour";
import { isLanguage, type Language } from "./i18n/languages";
import { storedLanguage, storeLanguage } from "./i18n/stored-language";

// The prerendered landing page. Most visitors do not open the application, so its code is not
// loaded here.

const found = document.getElementById("root");
if (!found) throw new Error("the landing page has no #root");
const root = found;

const host: LandingHost = { chooseLanguage, complain, prepare };
let landing = startLanding(root, pageLanguage(), host);

const stored = storedLanguage();
if (stored && stored !== pageLanguage()) void show(stored);
registerServiceWorker("visitor");

function pageLanguage(): Language {
  const { lang } = document.documentElement;
  return isLanguage(lang) ? lang : "en";
}

function chooseLanguage(language: Language): void {
  storeLanguage(language);
  // Without a connection the language does not change.
  show(language).then(
    () => root.querySelector<HTMLElement>(`button[lang=${language}]`)?.focus(),
    () => undefined,
  );
}

/** Shows the page in another language and keeps typed values. */
async function show(language: Language): Promise<void> {
  const answer = await fetch(`/landing-${language}.html`);
  if (!answer.ok) throw new Error(`the page was refused with status ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const content = page.getElementById("root");
  if (!content) throw new Error("the page has no #root");
  const state: LandingState = landing.state();
  landing.stop();
  root.replaceChildren(...content.childNodes);
  document.documentElement.lang = language;
  document.title = page.title;
  landing = startLanding(root, language, host, state);
}

function complain(title: string, text: string): void {
  // Without a connection the page reports the failure itself.
  import("./landing-toast").then(
    ({ showToast }) => showToast(pageLanguage(), title, text),
    () => undefined,
  );
}

let isPrepared = false;

function prepare(): void {
  if (isPrepared) return;
  isPrepared = true;
  void preload().catch(() => undefined);
}

async function preload(): Promise<void> {
  const page = await (await fetch("/index.html")).text();
  for (const [href = ""] of page.matchAll(/(?<=(?:src|href)=")\/assets\/[^"]+\.(?:js|css)(?=")/g)) {
    const isScript = href.endsWith(".js");
    const link = Object.assign(document.createElement("link"), {
      rel: isScript ? "modulepreload" : "preload",
      as: isScript ? "script" : "style",
      href,
    });
    document.head.append(link);
  }
}
