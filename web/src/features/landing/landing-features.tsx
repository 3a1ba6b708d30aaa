import {
  CalendarClock,
  ClipboardCheck,
  Fuel,
  History,
  IdCard,
  Languages,
  Smartphone,
  Sun,
  type LucideIcon,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { Badge } from "#/shared/ui/badge";

interface Feature {
  icon: LucideIcon;
  title: string;
  text: string;
  premium?: boolean;
}

export function LandingFeatures() {
  const { t } = useTranslation();
  return (
    <div className="border-t border-line bg-raised">
      <div className="mx-auto max-w-(--container-page) space-y-16 px-4 py-16 lg:px-6 lg:py-20">
        <FeatureGroup
          title={t("landing.owners.title")}
          text={t("landing.owners.text")}
          features={[
            {
              icon: CalendarClock,
              title: t("landing.owners.due.title"),
              text: t("landing.owners.due.text"),
            },
            {
              icon: ClipboardCheck,
              title: t("landing.owners.review.title"),
              text: t("landing.owners.review.text"),
            },
            {
              icon: History,
              title: t("landing.owners.history.title"),
              text: t("landing.owners.history.text"),
            },
            {
              icon: Fuel,
              title: t("landing.owners.fuel.title"),
              text: t("landing.owners.fuel.text"),
              premium: true,
            },
          ]}
        />
        <FeatureGroup
          title={t("landing.operators.title")}
          text={t("landing.operators.text")}
          features={[
            {
              icon: Smartphone,
              title: t("landing.operators.form.title"),
              text: t("landing.operators.form.text"),
            },
            {
              icon: Sun,
              title: t("landing.operators.readable.title"),
              text: t("landing.operators.readable.text"),
            },
            {
              icon: IdCard,
              title: t("landing.operators.access.title"),
              text: t("landing.operators.access.text"),
            },
            {
              icon: Languages,
              title: t("landing.operators.language.title"),
              text: t("landing.operators.language.text"),
            },
          ]}
        />
      </div>
    </div>
  );
}

function FeatureGroup({
  title,
  text,
  features,
}: {
  title: string;
  text: string;
  features: readonly Feature[];
}) {
  const { t } = useTranslation();
  return (
    <section className="grid gap-x-14 gap-y-6 lg:grid-cols-[18rem_1fr]">
      <div>
        <h2 className="text-title font-[650]">{title}</h2>
        <p className="mt-2 text-muted">{text}</p>
      </div>
      <ul className="grid gap-px overflow-hidden rounded-card border border-line bg-line sm:grid-cols-2">
        {features.map((feature) => (
          <li key={feature.title} className="bg-raised p-5 md:p-6">
            <feature.icon aria-hidden className="size-6 text-accent" strokeWidth={1.75} />
            <h3 className="mt-3 flex flex-wrap items-center gap-2 text-lg font-semibold">
              {feature.title}
              {feature.premium && <Badge tone="accent">{t("plans.premium")}</Badge>}
            </h3>
            <p className="mt-1 text-muted">{feature.text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
