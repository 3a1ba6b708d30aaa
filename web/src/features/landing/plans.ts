import * as v from "valibot";
import { catalogueSchema, type Catalogue, type Plan } from "#/api/plan-catalogue";
import { includesPremium, wholeDollars } from "#/domain/plan";
import type { Language } from "#/i18n/languages";
import { formatMoney, formatPercent } from "#/shared/format/format";
import { fillTemplate, fillText } from "./fill-template";

const timeoutMs = 15_000;

async function load(): Promise<Catalogue> {
  const answer = await fetch("/api/plans", {
    headers: { Accept: "application/json" },
    cache: "no-store",
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!answer.ok) throw new RefusedError(answer.status);
  return v.parse(catalogueSchema, await answer.json());
}

class RefusedError extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the plans were refused with status ${status}`);
    this.status = status;
  }
}

/** The template condition of a failed plan request. */
function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return "network";
  if (error instanceof DOMException && error.name === "TimeoutError") return "timeout";
  if (error instanceof RefusedError && error.status === 429) return "tooMany";
  if (error instanceof RefusedError && error.status === 503) return "unavailable";
  return "server";
}

/** Shows the catalogue's prices, limits and discounts, and the length of the trial. */
export function startPlans(
  root: HTMLElement,
  { language, known, signal }: { language: Language; known: Catalogue | null; signal: AbortSignal },
): { catalogue: () => Catalogue | null } {
  const place = find(root, "[data-plans]");
  let catalogue = known;

  const interval = () =>
    root.querySelector("input[value=year]:checked") ? ("year" as const) : ("month" as const);
  const showPlans = () => {
    if (!catalogue) return;
    const list = fillTemplate(root, "plans");
    const cards = catalogue.plans.map((plan) => planCard(root, language, plan, interval()));
    find(list, "ul").append(...cards);
    place.replaceChildren(list);
  };
  const show = (loaded: Catalogue) => {
    catalogue = loaded;
    showPlans();
    showTexts(root, language, loaded);
  };
  const retry = () => {
    const button = find(place, "button");
    if (button.ariaBusy === "true") return;
    button.ariaBusy = "true";
    button.ariaDisabled = "true";
    button.lastChild?.replaceWith(fillTemplate(root, "plans-retrying"));
    void tryToShow();
  };
  const showFailure = (error: unknown) => {
    const reason = fillTemplate(root, "reasons", {}, [reasonOf(error)]).textContent;
    const panel = fillTemplate(root, "plans-failed", { reason });
    find(panel, "button").addEventListener("click", retry, { signal });
    place.replaceChildren(panel);
  };
  const tryToShow = async () => {
    try {
      const loaded = await load();
      if (!signal.aborted) show(loaded);
    } catch (error) {
      if (!signal.aborted) showFailure(error);
    }
  };

  root.addEventListener(
    "change",
    ({ target }) => {
      if (target instanceof HTMLInputElement && target.type === "radio") showPlans();
    },
    { signal },
  );
  if (known) show(known);
  else void tryToShow();
  return { catalogue: () => catalogue };
}

function showTexts(root: HTMLElement, language: Language, catalogue: Catalogue): void {
  const { trialDays, launchDiscountPercent, yearlyDiscountPercent, plans } = catalogue;
  find(root, "[data-discounts]").replaceChildren(
    fillTemplate(root, "discounts", {
      launch: formatPercent(language, launchDiscountPercent),
      yearly: formatPercent(language, yearlyDiscountPercent),
    }),
  );
  const limited = plans.filter(({ equipmentLimit }) => equipmentLimit > 0);
  const perMachine = limited.map((plan) => Math.ceil(plan.monthlyCents / plan.equipmentLimit));
  for (const text of root.querySelectorAll<HTMLElement>("[data-per-machine]")) {
    const price = formatMoney(language, Math.min(...perMachine));
    text.textContent = limited.length > 0 ? fillText(text.dataset.perMachine ?? "", { price }) : "";
  }
  const inWeeks = trialDays % 7 === 0;
  const count = inWeeks ? trialDays / 7 : trialDays;
  const holds = [inWeeks ? "weeks" : "days", pluralForm(language, count)];
  const trial = fillTemplate(root, "trial", { count }, holds).textContent;
  for (const text of root.querySelectorAll<HTMLElement>("[data-trial]")) {
    text.textContent = fillText(text.dataset.trial ?? "", { trial });
  }
}

function planCard(
  root: HTMLElement,
  language: Language,
  plan: Plan,
  interval: "month" | "year",
): DocumentFragment {
  const yearly = interval === "year";
  const price = yearly ? plan.yearlyCents : plan.monthlyCents;
  const listPrice = yearly ? plan.listYearlyCents : plan.listMonthlyCents;
  const saved = (plan.monthlyCents - plan.yearlyCents) * 12;
  const money = (cents: number) => formatMoney(language, cents);
  const card = fillTemplate(
    root,
    "plan",
    {
      list: money(listPrice),
      price: money(yearly ? wholeDollars(price) : price),
      billed: money(plan.yearlyCents * 12),
      saved: money(saved),
      count: plan.equipmentLimit,
    },
    [
      plan.tier,
      interval,
      plan.equipmentLimit < 0 ? "unlimited" : pluralForm(language, plan.equipmentLimit),
      plan.tier === "professional" ? "recommended" : "other-plan",
      ...(listPrice > price ? ["discounted"] : []),
      ...(yearly && saved > 0 ? ["saves"] : []),
    ],
  );
  for (const link of card.querySelectorAll("a")) {
    link.setAttribute("href", `/signup?plan=${plan.tier}`);
  }
  find(card, "ul").append(
    ...plan.features.flatMap(({ key, premium }) => {
      const label = fillTemplate(root, "features", {}, [key]).textContent;
      // A feature without a text in this version.
      if (!label) return [];
      const kind = premium ? (includesPremium(plan.tier) ? "included" : "missing") : "standard";
      return [fillTemplate(root, "feature", { label }, [kind])];
    }),
  );
  return card;
}

function pluralForm(language: Language, count: number): string {
  return new Intl.PluralRules(language).select(count);
}

function find(root: ParentNode, selector: string): Element {
  const found = root.querySelector(selector);
  if (!found) throw new Error(`the landing page has no ${selector}`);
  return found;
}
