import { CalendarClock, ClipboardCheck, FileDown, Fuel, History, IdCard } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Language } from "#/i18n/languages";
import { StatusBadge } from "#/shared/ui/status-badge";
import { FeatureCards } from "./feature-cards";
import { ProductShot } from "./product-shot";
import { SectionTitle } from "./section-title";

export function LandingOwners({ language }: { language: Language }) {
  const { t } = useTranslation();
  return (
    <section className="border-t border-line bg-raised">
      <div className="mx-auto max-w-(--container-page) px-4 py-16 lg:px-6 lg:py-24">
        <div className="grid items-center gap-x-16 gap-y-8 lg:grid-cols-[1fr_1.25fr]">
          <div>
            <SectionTitle>{t("landing.owners.title")}</SectionTitle>
            <p className="mt-4 max-w-[36rem] text-lg text-muted">{t("landing.owners.text")}</p>
            <ul className="mt-7 max-w-[30rem] divide-y divide-line border-y border-line">
              <li className="flex gap-x-4 gap-y-1.5 py-3 max-sm:flex-col max-sm:items-start sm:items-center">
                <StatusBadge severity="good">{t("landing.levels.good")}</StatusBadge>
                <span className="text-muted">{t("landing.levels.goodText")}</span>
              </li>
              <li className="flex gap-x-4 gap-y-1.5 py-3 max-sm:flex-col max-sm:items-start sm:items-center">
                <StatusBadge severity="soon">{t("landing.levels.soon")}</StatusBadge>
                <span className="text-muted">{t("landing.levels.soonText")}</span>
              </li>
              <li className="flex gap-x-4 gap-y-1.5 py-3 max-sm:flex-col max-sm:items-start sm:items-center">
                <StatusBadge severity="due">{t("landing.levels.due")}</StatusBadge>
                <span className="text-muted">{t("landing.levels.dueText")}</span>
              </li>
              <li className="flex gap-x-4 gap-y-1.5 py-3 max-sm:flex-col max-sm:items-start sm:items-center">
                <StatusBadge severity="over">{t("landing.levels.over")}</StatusBadge>
                <span className="text-muted">{t("landing.levels.overText")}</span>
              </li>
            </ul>
          </div>
          <div className="overflow-hidden rounded-card border border-line">
            {/* Cropped, because the whole picture would be unreadable on a phone. */}
            <ProductShot
              name="machine"
              language={language}
              alt={t("landing.shots.machine")}
              className="max-md:w-[165%] max-md:max-w-none"
            />
          </div>
        </div>
        <div className="mt-12 lg:mt-16">
          <FeatureCards
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
                icon: FileDown,
                title: t("landing.owners.exports.title"),
                text: t("landing.owners.exports.text"),
              },
              {
                icon: IdCard,
                title: t("landing.owners.cards.title"),
                text: t("landing.owners.cards.text"),
              },
              {
                icon: Fuel,
                title: t("landing.owners.fuel.title"),
                text: t("landing.owners.fuel.text"),
                premium: true,
              },
            ]}
          />
        </div>
      </div>
    </section>
  );
}
