import type { Catalogue } from "#/api/plan-catalogue";
import { isLanguage, type Language } from "#/i18n/languages";
import { startContact } from "./contact";
import { startInstall } from "./install";
import { startPlans } from "./plans";
import { startPictures } from "./pictures";

const appPaths = ["/signup", "/login", "/employee-login"] as const;
export type AppPath = (typeof appPaths)[number];

/** Functions of the page that contains the landing page. */
export interface LandingHost {
  chooseLanguage: (language: Language) => void;
  complain: (title: string, text: string) => void;
  /** The visitor is likely to continue: the application's code may be prefetched. */
  prepare: (path: AppPath) => void;
  /** Navigates without a page load; if omitted, links are plain. */
  go?: (href: string) => void;
}

/** State that survives a change of language. */
export interface LandingState {
  catalogue: Catalogue | null;
  fields: ReadonlyMap<string, string>;
  interval: string | undefined;
}

export interface RunningLanding {
  state: () => LandingState;
  stop: () => void;
}

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Adds behavior to the prerendered page in `root`. */
export function startLanding(
  root: HTMLElement,
  language: Language,
  host: LandingHost,
  before?: LandingState,
): RunningLanding {
  const running = new AbortController();
  const { signal } = running;
  const fields = () => [...root.querySelectorAll<Field>("[data-contact] :is(input, textarea)")];
  const radios = () => [...root.querySelectorAll<HTMLInputElement>("input[type=radio]")];

  for (const field of fields()) field.value = before?.fields.get(field.name) ?? field.value;
  for (const radio of radios()) {
    if (before?.interval !== undefined) radio.checked = radio.value === before.interval;
  }
  startPictures(root, signal);
  startInstall(root, signal);
  startContact(root, { complain: host.complain, signal });
  const plans = startPlans(root, { language, known: before?.catalogue ?? null, signal });

  for (const button of root.querySelectorAll<HTMLElement>("button[lang]")) {
    const choose = () => isLanguage(button.lang) && host.chooseLanguage(button.lang);
    button.addEventListener("click", choose, { signal });
  }
  const prepare = ({ target }: Event) => {
    const link = appLink(target);
    if (link) host.prepare(link.path);
  };
  root.addEventListener("pointerover", prepare, { signal });
  root.addEventListener("focusin", prepare, { signal });
  root.addEventListener(
    "click",
    (event) => {
      const link = appLink(event.target);
      const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
      if (!link || !host.go || elsewhere || event.button !== 0) return;
      event.preventDefault();
      host.go(link.href);
    },
    { signal },
  );
  return {
    state: () => ({
      catalogue: plans.catalogue(),
      fields: new Map(fields().map(({ name, value }) => [name, value])),
      interval: radios().find(({ checked }) => checked)?.value,
    }),
    stop: () => running.abort(),
  };
}

function appLink(target: EventTarget | null): { path: AppPath; href: string } | undefined {
  const link = target instanceof Element ? target.closest("a[data-app]") : null;
  const href = link?.getAttribute("href") ?? "";
  const path = appPaths.find((each) => each === href.split("?")[0]);
  return path && { path, href };
}
