import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { PageHeader } from "#/shared/ui/page-header";
import { CrewSections } from "./crew-sections";
import { EquipmentSections } from "./equipment-sections";
import { RecordSections } from "./record-sections";
import { guideEntries } from "./sections";

/** The whole guide on one page, so that the browser's own search finds every word of it. */
export function InstructionsPage() {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t("shell.titles.instructions")} description={t("instructions.subtitle")} />
      <div className="grid items-start gap-x-12 gap-y-8 lg:grid-cols-[14rem_minmax(0,1fr)]">
        <nav
          aria-labelledby="guide-contents"
          className="no-print rounded-card border border-line bg-raised p-3 lg:sticky lg:top-20"
        >
          <h2 id="guide-contents" className="px-2 pb-1 text-sm font-semibold text-muted">
            {t("instructions.contents")}
          </h2>
          <ul className="max-lg:grid max-lg:sm:grid-cols-2">
            {guideEntries.map((entry) => (
              <li key={entry.id}>
                <Link
                  to="/instructions"
                  hash={entry.id}
                  activeOptions={{ includeHash: true }}
                  activeProps={{ className: "bg-sunken font-semibold" }}
                  className="flex min-h-11 items-center gap-2.5 rounded-control px-2 hover:bg-sunken lg:min-h-8"
                >
                  <entry.icon aria-hidden className="size-4 shrink-0 text-muted" />
                  {t(entry.title)}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="min-w-0">
          <EquipmentSections />
          <CrewSections />
          <RecordSections />
        </div>
      </div>
    </>
  );
}
