import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

export interface SettingsSection {
  /** The id of its card. */
  id: string;
  title: string;
}

/** Links to the cards of the page, beside them; a phone has no room for it. */
export function SectionLinks({ sections }: { sections: readonly SettingsSection[] }) {
  const { t } = useTranslation();
  return (
    <nav aria-label={t("settings.sections")} className="no-print sticky top-20 max-lg:hidden">
      <ul className="-ml-3">
        {sections.map(({ id, title }) => (
          <li key={id}>
            <Link
              to="/settings"
              hash={id}
              replace
              activeOptions={{ includeHash: true }}
              className="flex min-h-11 items-center desk:min-h-9 rounded-control px-3 text-muted hover:bg-sunken hover:text-ink data-[status=active]:bg-sunken data-[status=active]:font-semibold data-[status=active]:text-ink"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
