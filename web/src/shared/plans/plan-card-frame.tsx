import { clsx } from "clsx";
import { Check, Minus } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "#/shared/ui/badge";

export function PlanCardFrame({
  name,
  description,
  mark,
  listPrice,
  price,
  billed,
  saved,
  limit,
  action,
  own = false,
  brief = false,
  children,
}: {
  name: ReactNode;
  description: ReactNode;
  mark?: ReactNode;
  listPrice: ReactNode;
  price: string;
  billed: ReactNode;
  saved: ReactNode;
  limit: ReactNode;
  action?: ReactNode;
  own?: boolean;
  /** Without the features. */
  brief?: boolean;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <li
      className={clsx(
        "flex flex-col rounded-card border bg-raised",
        brief ? "p-5" : "p-6",
        own ? "border-accent ring-1 ring-accent" : "border-line",
      )}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="text-lg font-semibold">{name}</h3>
        {mark}
      </div>
      <p className="mt-1 text-muted lg:min-h-[2lh]">{description}</p>
      <p className="mt-5 flex flex-wrap items-baseline gap-x-2">
        {listPrice}
        <span className="font-figures text-[2.5rem] leading-none font-[650] tracking-[-0.02em]">
          {price}
        </span>
        <span className="text-muted">{t("plans.perMonth")}</span>
      </p>
      <p className="mt-2 text-sm text-muted">
        {billed}
        {saved}
      </p>
      <p className="mt-5 border-t border-line pt-4 font-semibold">{limit}</p>
      {!brief && <ul className="mt-3 mb-6 space-y-2">{children}</ul>}
      {action != null && <div className={clsx("mt-auto", brief && "pt-5")}>{action}</div>}
    </li>
  );
}

/** The price before the discount. */
export function ListPrice({ price }: { price: string }) {
  const { t } = useTranslation();
  return (
    <s className="text-lg text-muted">
      <span className="sr-only">{t("plans.listPrice", { price })}</span>
      <span aria-hidden>{price}</span>
    </s>
  );
}

export function PlanFeature({
  included,
  premium,
  children,
}: {
  included: boolean;
  premium: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const Icon = included ? Check : Minus;
  return (
    <li className={clsx("flex gap-2.5", !included && "text-muted")}>
      <Icon aria-hidden className="mt-1 size-4 shrink-0 text-accent" />
      <span className="sr-only">{included ? t("plans.included") : t("plans.notIncluded")}</span>
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {children}
        {premium && <Badge tone={included ? "accent" : "neutral"}>{t("plans.premium")}</Badge>}
      </span>
    </li>
  );
}
