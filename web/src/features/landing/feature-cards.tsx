import type { LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Badge } from "#/shared/ui/badge";

export interface Feature {
  icon: LucideIcon;
  title: string;
  text: string;
  premium?: boolean;
}

export function FeatureCards({ features }: { features: readonly Feature[] }) {
  const { t } = useTranslation();
  return (
    <ul className="grid gap-px overflow-hidden rounded-card border border-line bg-line sm:grid-cols-2 lg:grid-cols-3">
      {features.map((feature) => (
        <li key={feature.title} className="bg-raised p-5 md:p-6">
          <feature.icon aria-hidden className="size-6 text-accent" strokeWidth={1.75} />
          <h3 className="mt-3 flex flex-wrap items-center gap-2 text-lg leading-snug font-semibold">
            {feature.title}
            {feature.premium && <Badge tone="accent">{t("plans.premium")}</Badge>}
          </h3>
          <p className="mt-1 text-muted">{feature.text}</p>
        </li>
      ))}
    </ul>
  );
}
